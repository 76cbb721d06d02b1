import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { wholePercent } from "anchoreval/internal/words/figures";
import {
  eachScore,
  isBinary,
  type ResponseMatrix,
  unvariedScenarios,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { boardSummary, type BoardSummary, scenarioParts, unvariedWords } from "./board-summary.ts";
import { type BorderFinding, refuseFindings } from "./findings.ts";
import { likeIds } from "./like-ids.ts";
import { reversedScenarios } from "./reversed-scenarios.ts";
import { likelySummaries } from "./likely-summaries.ts";
import { strengthGaps } from "./strength-gaps.ts";
import { summaryFindings } from "./summaries.ts";

/** A board as it came in. */
export interface CheckedBoard {
  readonly summary: BoardSummary;
  readonly findings: readonly BorderFinding[];
}

/**
 * Looks at a board before anything is made of it: names that are one, lines that are no models and no items, scenarios that
 * run against the others.
 * @throws AnchorEvalError `invalid_data` with an issue for each finding that isn't taken, its code the finding's
 * @example const { summary, findings } = checkBoard("responses.csv", matrix);
 */
export function checkBoard(
  file: string,
  matrix: ResponseMatrix,
  findings: readonly BorderFinding[] = [],
): CheckedBoard {
  const summary = boardSummary(matrix);
  const unvaried = matrix.subjects.length > 1 ? unvariedScenarios(matrix) : [];
  const summaries = summaryFindings(matrix);
  const all = [
    ...findings,
    ...likeIds(matrix),
    ...summaries,
    ...likelySummaries(matrix, summaries),
    ...reversedScenarios(matrix),
    ...smallScales(matrix),
    ...strengthGaps(matrix, summary),
    ...(unvaried.length > 0
      ? [{ code: "no_variance", names: unvaried, message: unvariedWords(unvaried, matrix.subjects.length) }]
      : []),
  ];
  refuseFindings(file, all);
  return { summary, findings: all };
}

/** Highest score of a scenario up to which it may be of shares on a scale to 10, or of percent. */
const SMALL = 0.1;
/** The same of a scenario with few scores, which may be hard. */
const PERCENT = 0.01;
/** Share of a model's scores, at least, above a quarter of a hundredth: of a weak one whose judge gives it next to nothing fewer are. */
const LEAST_HIGH = 0.05;
/** Scores of a scenario, at least, one of which would be above a tenth. */
const LEAST_SCORES = 200;

/**
 * Scenarios that may be on a smaller scale than the board: no score is high, or all are 0 and one other number that isn't 1; and
 * models without a score above a hundredth where others have such.
 */
function smallScales(matrix: ResponseMatrix): BorderFinding[] {
  if (isBinary(matrix)) return [];
  const zeros = (): Float64Array => new Float64Array(matrix.subjects.length);
  const { parts, partOf } = scenarioParts(matrix.items, () => ({
    ...{ highest: 0, lowest: Infinity, scores: 0 },
    models: { highest: zeros(), high: zeros(), scores: zeros() },
  }));
  let fractions = 0;
  eachScore(matrix, [...matrix.subjects.keys()], (score, m, i) => {
    const part = partOf[i]!;
    part.scores++;
    part.highest = Math.max(part.highest, score);
    const { models } = part;
    models.highest[m] = Math.max(models.highest[m]!, score);
    if (score > PERCENT / 4) models.high[m]!++;
    models.scores[m]!++;
    if (score > 0) part.lowest = Math.min(part.lowest, score);
    if (score > 0 && score < 1) fractions++;
  });
  if (fractions === 0) return [];
  const isSmall = ({ highest, high, scores }: (typeof partOf)[number]["models"], m: number): boolean =>
    isShare(highest[m]!) && high[m]! >= LEAST_HIGH * scores[m]!;
  const models = matrix.subjects.filter((_, m) =>
    [...parts.values()].some((part) => isSmall(part.models, m) && !isShare(part.highest)),
  );
  const scenarios = [...parts].flatMap(([id, { highest, lowest, scores }]) => {
    const limit = (scores >= LEAST_SCORES ? SMALL : PERCENT) * (1 + 1e-6); // what a float32 makes of it
    const isLow = highest > 0 && highest <= limit;
    const isTwo = highest > 0 && highest < 1 && lowest === highest && scores >= LEAST_SCORES;
    if (!isLow && !isTwo) return [];
    const percent = wholePercent(highest);
    const what = isTwo ? `no score but 0 and ${percent}` : `no score above ${percent}`;
    const message = `scenario ${quoted(id)} has ${what} of the scale: is it on another one, as of 0 to 1 where the others are in percent?`;
    return [{ code: "scale_unlikely", names: [id], message }];
  });
  if (models.length === 0) return scenarios;
  const message = `${firstFew(models)}: no score above 1 % of the scale in a scenario where others have such: are these on another one, of 0 to 1 where the others' are in percent?`;
  return [...scenarios, { code: "scale_unlikely", names: models, message }];
}

/** Whether a highest score may be one of shares among percents. */
function isShare(score: number): boolean {
  return score > PERCENT / 2 && score <= PERCENT * (1 + 1e-6);
}

import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import type { ResponseMatrix } from "../response-matrix.ts";
import { boardSummary, type BoardSummary, unvariedScenarios, unvariedWords } from "./board-summary.ts";
import { type BorderFinding, refuseFindings } from "./findings.ts";
import { likeIds } from "./like-ids.ts";
import { reversedScenarios } from "./reversed-scenarios.ts";
import { summaryFindings } from "./summaries.ts";

/** A board as it came in. */
export interface CheckedBoard {
  readonly summary: BoardSummary;
  readonly findings: readonly BorderFinding[];
}

/**
 * Looks at a board before anything is made of it: names that are one, lines that are no models and no items, scenarios that
 * run against the others.
 * @param file - names it in messages
 * @param findings - others, of its reading
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
  const all = [
    ...findings,
    ...likeIds(matrix),
    ...summaryFindings(matrix),
    ...reversedScenarios(matrix),
    ...smallScales(matrix, summary),
    ...(unvaried.length > 0
      ? [{ code: "no_variance", names: unvaried, message: unvariedWords(unvaried, matrix.subjects.length) }]
      : []),
  ];
  refuseFindings(file, all);
  return { summary, findings: all };
}

/** Highest score up to which scores may be shares on a scale of percent. */
const PERCENT = 0.01;

/** Scenarios, and single models in the others, without a score above 1 % and with some above 0. */
function smallScales(
  { subjects, items, scores, observed }: ResponseMatrix,
  { scenarios }: BoardSummary,
): BorderFinding[] {
  const isSmall = (highest: number): boolean => highest > 0 && highest <= PERCENT * (1 + 1e-6);
  const places = new Map(scenarios.map(({ id }, place) => [id, place]));
  const models = new Set<string>();
  for (const [m, model] of subjects.entries()) {
    const highest = scenarios.map(() => 0);
    for (const [i, { scenario }] of items.entries()) {
      const at = m * items.length + i;
      const place = places.get(scenario)!;
      if (observed?.[at] !== 0) highest[place] = Math.max(highest[place]!, scores[at]!);
    }
    if (highest.some((score, place) => isSmall(score) && !isSmall(scenarios[place]!.highest))) models.add(model);
  }
  const words = "no score above 1 % of the scale";
  return [
    ...scenarios
      .filter(({ highest }) => isSmall(highest))
      .map(({ id }) => ({
        code: "scale_unlikely",
        names: [id],
        message: `scenario ${quoted(id)} has ${words}: is it on another one, of 0 to 1 where the others are in percent?`,
      })),
    ...(models.size > 0
      ? [
          {
            code: "scale_unlikely",
            names: [...models],
            message: `${firstFew([...models])}: ${words} in a scenario where others have such: are these on another one, of 0 to 1 where the others' are in percent?`,
          },
        ]
      : []),
  ];
}

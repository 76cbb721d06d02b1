import { quoted } from "anchoreval/internal/tables/data-issues";
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
    ...smallScales(summary),
    ...(unvaried.length > 0
      ? [{ code: "no_variance", names: unvaried, message: unvariedWords(unvaried, matrix.subjects.length) }]
      : []),
  ];
  refuseFindings(file, all);
  return { summary, findings: all };
}

/** Highest score of a scenario up to which it may be of shares on a scale of percent. */
const PERCENT = 0.01;

function smallScales({ scenarios }: BoardSummary): BorderFinding[] {
  return scenarios
    .filter(({ highest }) => highest > 0 && highest <= PERCENT * (1 + 1e-6))
    .map(({ id }) => ({
      code: "scale_unlikely",
      names: [id],
      message: `scenario ${quoted(id)} has no score above 1 % of the scale: is it on another one, of 0 to 1 where the others are in percent?`,
    }));
}

import type { ResponseMatrix } from "../response-matrix.ts";
import { boardSummary, type BoardSummary, unvariedScenarios, unvariedWords } from "./board-summary.ts";
import { type BorderFinding, refuseFindings } from "./findings.ts";
import { likeIds } from "./like-ids.ts";
import { reversedScenarios } from "./reversed-scenarios.ts";
import { likelySummaries } from "./likely-summaries.ts";
import { smallScales } from "./small-scales.ts";
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
  const summaries = summaryFindings(matrix);
  const all = [
    ...findings,
    ...likeIds(matrix),
    ...summaries,
    ...likelySummaries(matrix, summaries),
    ...reversedScenarios(matrix),
    ...smallScales(matrix),
    ...(unvaried.length > 0
      ? [{ code: "no_variance", names: unvaried, message: unvariedWords(unvaried, matrix.subjects.length) }]
      : []),
  ];
  refuseFindings(file, all);
  return { summary, findings: all };
}

import { AnchorEvalError, type Issue } from "anchoreval/internal/core/errors";
import { type TrialMetric, trialMetricName, trialScore } from "anchoreval/internal/trials/pass-at-k";
import type { CellTrials } from "../../matrix/readers/score-table.ts";
import type { ResponseMatrix } from "../../matrix/response-matrix.ts";

/** Issues that are kept of a table. */
const MOST_ISSUES = 20;

/**
 * A board's matrix with the unbiased estimate of a metric in place of each cell's mean; what is missing stays so.
 * @param trials - of every cell that has a score
 * @throws AnchorEvalError `invalid_data` with one issue a cell that has fewer trials than the metric takes, or graded scores
 * where passes are counted
 */
export function trialScores(
  matrix: ResponseMatrix,
  trials: readonly CellTrials[],
  metric: TrialMetric,
): ResponseMatrix {
  const rows = new Map(matrix.subjects.map((model, m) => [model, m]));
  const columns = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  const scores = new Float32Array(matrix.scores.length);
  const issues: Issue[] = [];
  for (const { model, item, scores: own } of trials) {
    const [m, i] = [rows.get(model), columns.get(item)];
    if (m === undefined || i === undefined) continue; // an item that the file of items doesn't have
    try {
      scores[m * columns.size + i] = trialScore(own, metric)!;
    } catch (error) {
      if (!(error instanceof AnchorEvalError)) throw error;
      const message = `model ${model}, item ${item}: ${error.message}`;
      if (issues.length < MOST_ISSUES) issues.push({ path: [model, item], code: "trials", message });
    }
  }
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${trialMetricName(metric)} can't be had of every item: ${issues[0]!.message}${issues.length > 1 ? ", …" : ""}`,
      { issues },
    );
  const isBinary = scores.every((score) => score === 0 || score === 1);
  return { ...matrix, scores: isBinary ? Uint8Array.from(scores) : scores };
}

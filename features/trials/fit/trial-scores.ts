import { AnchorEvalError, type Issue } from "anchoreval/internal/core/errors";
import { type TrialMetric, trialMetricName, trialScore } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import type { CellTrials } from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import { type ResponseMatrix, responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

/** Issues that are kept of a table. */
const MOST_ISSUES = 20;

/**
 * A board's matrix with the unbiased estimate of a metric in place of each cell's mean. A cell of fewer trials than the metric
 * takes has none: it is missing, as if nobody had asked; what is missing stays so.
 * @param trials - of every cell that has a score
 * @returns with the models that such cells are of, and how many of theirs
 * @throws AnchorEvalError `invalid_data` with one issue a model none of whose items has trials enough, or a cell that has graded
 * scores where passes are counted
 */
export function trialScores(
  matrix: ResponseMatrix,
  trials: readonly CellTrials[],
  metric: TrialMetric,
): { readonly matrix: ResponseMatrix; readonly few: ReadonlyMap<string, number> } {
  const rows = new Map(matrix.subjects.map((model, m) => [model, m]));
  const columns = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  const scores = new Float32Array(matrix.scores.length).fill(NaN);
  const issues: Issue[] = [];
  const note = (path: string[], message: string): void => {
    if (issues.length < MOST_ISSUES) issues.push({ path, code: "trials", message });
  };
  const few = new Map<string, number>();
  const scored = new Set<string>();
  for (const { model, item, scores: cell } of trials) {
    const [m, i] = [rows.get(model), columns.get(item)];
    if (m === undefined || i === undefined) continue; // an item that the file of items doesn't have
    const at = m * columns.size + i;
    if (cell.length < metric.k) {
      few.set(model, (few.get(model) ?? 0) + 1);
      continue;
    }
    try {
      scores[at] = trialScore(cell, metric)!;
      scored.add(model);
    } catch (error) {
      if (!(error instanceof AnchorEvalError)) throw error;
      note([model, item], `model ${model}, item ${item}: ${error.message}`);
    }
  }
  const name = trialMetricName(metric);
  for (const model of few.keys())
    if (!scored.has(model))
      note([model], `model ${model} has no item with ${metric.k} trials: leave it out, or ask a metric of fewer`);
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${name} can't be had of every model: ${issues[0]!.message}${issues.length > 1 ? ", …" : ""}`,
      { issues },
    );
  return { matrix: { ...matrix, ...responseMatrix(matrix.subjects, matrix.items, scores) }, few };
}

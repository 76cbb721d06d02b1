import { quoted, type DataIssues } from "anchoreval/node";
import type { ScoreTable } from "./score-table.ts";

/** Item parameters say nothing below this many models. */
export const FEWEST_MODELS = 5;

/**
 * The rules that hold for a table as a whole: models enough, and no model and no item without any score.
 * @throws AnchorEvalError `invalid_data`
 */
export function checkTable(table: ScoreTable, issues: DataIssues, fewest = FEWEST_MODELS): void {
  const { models, items, rows } = table;
  if (models.length === 0) issues.fail({}, "empty", "the file has no scores");
  if (models.length < fewest)
    issues.fail(
      {},
      "too_few_models",
      `${models.length} ${models.length === 1 ? "model is" : "models are"} too few: at least ${fewest} are needed`,
    );
  const perItem = new Uint32Array(items.length);
  rows.forEach((row, m) => {
    let scores = 0;
    for (let i = 0; i < items.length && i < row.length; i++)
      if (row[i]! >= 0) {
        scores++;
        perItem[i]!++;
      }
    if (scores === 0)
      issues.add(
        { row: table.modelRows[m]! },
        "model_without_scores",
        `model ${quoted(models[m]!)} has no score at all`,
      );
  });
  perItem.forEach((scores, i) => {
    if (scores === 0) issues.add({ column: items[i]! }, "item_without_scores", "the item has no score at all");
  });
  issues.refuse();
}

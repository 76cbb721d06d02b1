import { createRandom } from "anchoreval/internal/core/numeric/random";
import { itemColumns, type ItemColumns, weightedScores } from "../../../offline-trainer/src/methods/item-columns.ts";
import { drawnAnswers } from "../../support/source-answers.ts";

/** Answers of some models, their full scores, and all items as a pool. */
export function drawnColumns(
  seed: string,
  models: number,
  items: number,
): { columns: ItemColumns; full: Float64Array; pool: Uint32Array } {
  const answers = drawnAnswers(createRandom(seed), models, items);
  const columns = itemColumns((item) => Float64Array.from(answers, (own) => own[item]!), items);
  const full = weightedScores(columns, new Float64Array(items).fill(1 / items));
  return { columns, full, pool: Uint32Array.from({ length: items }, (_, i) => i) };
}

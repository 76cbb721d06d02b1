import { addGram, cholesky, choleskySolve } from "anchoreval/core";
import type { ItemColumns } from "./item-columns.ts";

/** Penalty of the regressions, on columns whose squares sum to a quarter of the models at most. */
const PENALTY = 10;

/**
 * How much items say of the full score beside the others of their subset: |β_i|·sd(y_i) of the ridge regression of the
 * full score on a subset's answers, averaged over the subsets that hold the item; 0 of an item in none.
 *
 * In the dual form, (XXᵀ + 10·I)a = S − S̄, β = Xᵀa, with a row a model: a subset may have more items than there are models.
 * EssenceBench asks additive trees (explainable boosting machines), which take nearly all of its time.
 * @param full - the models' full scores
 */
export function attribution(columns: ItemColumns, full: Float64Array, subsets: readonly Uint32Array[]): Float64Array {
  const { models, items, scores } = columns;
  const level = full.reduce((sum, value) => sum + value, 0) / models;
  const sum = new Float64Array(items);
  const count = new Float64Array(items);
  for (const subset of subsets) {
    const centred = new Float64Array(subset.length * models);
    subset.forEach((item, j) => {
      const own = scores.subarray(item * models, (item + 1) * models);
      const mean = own.reduce((total, score) => total + score, 0) / models;
      own.forEach((score, m) => (centred[j * models + m] = score - mean));
    });
    const gram = new Float64Array(models * models);
    for (let m = 0; m < models; m++) gram[m * models + m] = PENALTY;
    addGram(gram, models, centred, new Float64Array(subset.length).fill(1), subset.length);
    const weights = choleskySolve(
      cholesky(gram, models)!,
      models,
      full.map((value) => value - level),
    );
    subset.forEach((item, j) => {
      let [slope, square] = [0, 0];
      for (let m = 0; m < models; m++) {
        const own = centred[j * models + m]!;
        slope += own * weights[m]!;
        square += own * own;
      }
      sum[item]! += Math.abs(slope) * Math.sqrt(square / models);
      count[item]! += 1;
    });
  }
  return sum.map((total, i) => (count[i]! > 0 ? total / count[i]! : 0));
}

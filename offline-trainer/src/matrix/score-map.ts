import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import type { MonotoneMap } from "anchoreval/internal/core/numeric/functions";
import { eachScore, type ResponseMatrix } from "./response-matrix.ts";

/** Bins of predicted probability that the map is fitted on. */
const BINS = 200;

/**
 * The monotone map from response probability to score, for scores that were binarised: isotonic regression
 * (pool adjacent violators) of the sources' scores on their fitted probabilities, in bins of equal width.
 * @see Barlow et al. (1972), Statistical Inference under Order Restrictions
 */
export function fitScoreMap(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  theta: Float64Array,
  bank: ItemBank,
): MonotoneMap {
  const count = new Float64Array(BINS);
  const probability = new Float64Array(BINS);
  const score = new Float64Array(BINS);
  const predicted = new Float64Array(bank.count);
  for (let k = 0; k < rows.length; k++) {
    itemResponses(theta.subarray(k * bank.dims, (k + 1) * bank.dims), bank, predicted);
    eachScore(matrix, [rows[k]!], (observed, _, i) => {
      const bin = Math.min(BINS - 1, Math.floor(predicted[i]! * BINS));
      count[bin]! += 1;
      probability[bin]! += predicted[i]!;
      score[bin]! += observed;
    });
  }
  const blocks: { weight: number; x: number; y: number }[] = [];
  for (let bin = 0; bin < BINS; bin++) {
    if (count[bin] === 0) continue;
    let block = { weight: count[bin]!, x: probability[bin]! / count[bin]!, y: score[bin]! / count[bin]! };
    for (let last = blocks.at(-1); last && last.y >= block.y; last = blocks.at(-1)) {
      const weight = last.weight + block.weight;
      block = {
        weight,
        x: (last.weight * last.x + block.weight * block.x) / weight,
        y: (last.weight * last.y + block.weight * block.y) / weight,
      };
      blocks.pop();
    }
    blocks.push(block);
  }
  const knots = blocks.length > 0 ? blocks : [{ x: 0.5, y: 0.5 }];
  return { x: Float64Array.from(knots, ({ x }) => x), y: Float64Array.from(knots, ({ y }) => y) };
}

import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";

/**
 * Factors of a scenario's items, their totals by the item weights, as the trainer makes them; {@link anchorFactors} gives
 * those of some anchors.
 */
export function itemFactors(
  weights: ArrayLike<number>,
  mean: readonly number[],
  loadings: readonly number[],
  noise: readonly number[],
): AnchorFactors {
  const rank = loadings.length / mean.length;
  const rows = { mean: Float32Array.from(mean), loadings: Float32Array.from(loadings) };
  const total = { mean: 0, loadings: new Float64Array(rank) };
  for (let i = 0; i < mean.length; i++) {
    total.mean += weights[i]! * rows.mean[i]!;
    for (let r = 0; r < rank; r++) total.loadings[r]! += weights[i]! * rows.loadings[i * rank + r]!;
  }
  return { rank, ...rows, noise: Float32Array.from(noise), total };
}

/** Factors for tests that don't look at them: every item alike, with one common factor. */
export function plainFactors(weights: ArrayLike<number>, items: ArrayLike<number>): AnchorFactors {
  const same = (value: number): number[] => Array.from({ length: weights.length }, () => value);
  return anchorFactors(itemFactors(weights, same(0.5), same(0.3), same(0.2)), Uint32Array.from(items));
}

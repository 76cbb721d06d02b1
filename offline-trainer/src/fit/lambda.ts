import type { HeldOutEstimate } from "./held-out.ts";

/** Second moments of the errors of anchor-mean and p-irt, relative to anchor-mean's own. */
interface ErrorMoments {
  readonly imputed: number;
  readonly cross: number;
}

/**
 * λ of gp-irt: minimises the squared error of λ·anchor-mean + (1−λ)·p-irt on held-out sources,
 * clip((E_pp − E_ap)/(E_aa + E_pp − 2·E_ap), 0, 1). The moments are pooled over groups of folds (interpolation-like,
 * weak-to-strong), each relative to its own E_aa, so that the group with the larger errors doesn't drown the other.
 * @param groups - held-out estimates by group of folds; empty groups are passed over
 * @returns 0.5 where nothing was held out
 */
export function blendingWeight(groups: readonly (readonly HeldOutEstimate[])[]): number {
  let pooled: ErrorMoments = { imputed: 0, cross: 0 };
  let count = 0;
  for (const group of groups) {
    let aa = 0;
    let pp = 0;
    let ap = 0;
    for (const { truth, estimators } of group) {
      const anchor = estimators["anchor-mean"] - truth;
      const imputed = estimators["p-irt"] - truth;
      aa += anchor * anchor;
      pp += imputed * imputed;
      ap += anchor * imputed;
    }
    if (!(aa > 0)) continue;
    pooled = { imputed: pooled.imputed + pp / aa, cross: pooled.cross + ap / aa };
    count++;
  }
  const spread = count + pooled.imputed - 2 * pooled.cross;
  if (count === 0 || !(spread > 1e-12)) return 0.5;
  return Math.min(1, Math.max(0, (pooled.imputed - pooled.cross) / spread));
}

/**
 * λ by the reference's rule: b²/(v + b²), b the validation error of the model's predictions, v = mean within-model
 * variance of scores / (4n).
 * @param bias - mean absolute error of mean predictions on validation models
 * @param variance - mean over models of the variance of their item scores
 * @see Maia Polo et al. (2024), tinyBenchmarks, training notebook
 */
export function referenceLambda(bias: number, variance: number, n: number): number {
  const square = bias * bias;
  const sampling = variance / (4 * n);
  return square + sampling === 0 ? 0.5 : square / (sampling + square);
}

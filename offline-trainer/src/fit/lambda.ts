import type { HeldOutEstimate } from "./held-out.ts";

/**
 * λ of gp-irt: minimises the squared error of λ·anchor-mean + (1−λ)·p-irt on held-out sources,
 * clip((E_pp − E_ap)/(E_aa + E_pp − 2·E_ap), 0, 1), E the mean products of the two errors, pooled over the
 * interpolation-like and the weak-to-strong folds. Every model counts once, however often it was held out.
 * @returns 0.5 where nothing was held out, or where both agree
 */
export function blendingWeight(estimates: readonly HeldOutEstimate[]): number {
  const times = new Map<number, number>();
  for (const { model } of estimates) times.set(model, (times.get(model) ?? 0) + 1);
  let aa = 0;
  let pp = 0;
  let ap = 0;
  for (const { model, truth, base } of estimates) {
    const anchor = base["anchor-mean"] - truth;
    const imputed = base["p-irt"] - truth;
    const share = 1 / times.get(model)!;
    aa += share * anchor * anchor;
    pp += share * imputed * imputed;
    ap += share * anchor * imputed;
  }
  const spread = aa + pp - 2 * ap;
  if (!(spread > 1e-12 * (aa + pp))) return 0.5;
  return Math.min(1, Math.max(0, (pp - ap) / spread));
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

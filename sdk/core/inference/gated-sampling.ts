import type { SamplingVariance } from "./sampling-variance.ts";

/**
 * Variance of a gated blend from that of the corrected mean: V·((1−P)·τ + P)². Inside the range seen the blend errs less
 * than the draw of the anchors alone would make it, by the tightening τ that held-out models were measured to allow;
 * outside of it the draw is all that is known.
 * @param sampling - of `p-irt-dr`
 * @param outside - P, the chance that the model lies outside the range seen
 * @param tightening - τ > 0 ({@link Blend.tightening})
 */
export function gatedSampling(
  sampling: SamplingVariance,
  outside: { readonly above: number; readonly below: number },
  tightening: number,
): SamplingVariance {
  const share = Math.min(1, outside.above + outside.below);
  return { ...sampling, variance: sampling.variance * ((1 - share) * tightening + share) ** 2 };
}

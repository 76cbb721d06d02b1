import type { BlendedEstimates } from "../estimators/blend-estimates.ts";
import type { Tightening } from "../estimators/types.ts";
import type { SamplingVariance } from "./sampling-variance.ts";

/**
 * Variance of a gated blend, by the law of total variance over being inside the range seen or outside of it:
 * (1−P)·τ²V + P·ρ²V + P(1−P)·g². Inside, the stack errs less than the draw of the anchors would make it, by the
 * tightening τ that held-out models were measured to allow; outside, the partly corrected mean errs less by ρ; and as
 * long as it isn't known which, the gap g between what the two say is an error too.
 * @param sampling - of `p-irt-dr`, V
 * @param blended - P, the share of the gate that stands outside the range seen, and g
 * @param tightening - τ and ρ
 */
export function gatedSampling(
  sampling: SamplingVariance,
  { share, gap }: Pick<BlendedEstimates, "share" | "gap">,
  tightening: Tightening,
): SamplingVariance {
  const within = (1 - share) * tightening.inside ** 2 + share * tightening.outside ** 2;
  return { ...sampling, variance: within * sampling.variance + share * (1 - share) * gap ** 2 };
}

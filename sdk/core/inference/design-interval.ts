import { studentTQuantile } from "../numeric/student-t.ts";
import { bernoulliVariance, type SamplingVariance } from "./sampling-variance.ts";
import { satterthwaite } from "./satterthwaite.ts";
import { wilsonInterval } from "./wilson-interval.ts";

/** A score estimated from anchors that were drawn at random: of one scenario, or of several together. */
export interface SampledScore {
  /** In [0,1]. */
  readonly score: number;
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  readonly sampling: SamplingVariance;
}

/**
 * Design-based interval of a score: Wilson's at the effective sample size ŝ(1−ŝ)/V with Student's t, so that it keeps
 * its coverage near 0 and 1, inside what the answers prove. Answers that are all wrong never rule out 0, nor all
 * right 1.
 * @param level - confidence level in (0,1)
 * @example
 * designInterval({ score: 0.6, bounds: { low: 0.03, high: 0.98 }, sampling: samplingVariance(0.6, sample, residuals)! }, 0.95)
 */
export function designInterval(
  { score, bounds, sampling }: SampledScore,
  level: number,
): { low: number; high: number } {
  const { variance, degrees, answers, right } = sampling;
  if (variance === 0) return { low: score, high: score };
  const t = studentTQuantile(0.5 + level / 2, degrees);
  const { low, high } = wilsonInterval(score, bernoulliVariance(score, answers) / variance, t);
  return {
    low: Math.min(score, Math.max(right === 0 ? 0 : low, bounds.low)),
    high: Math.max(score, Math.min(right === answers ? 1 : high, bounds.high)),
  };
}

/** The same with its variance κ² times as large. */
export function inflated(sampled: SampledScore, inflation: number): SampledScore {
  const { sampling } = sampled;
  return { ...sampled, sampling: { ...sampling, variance: inflation ** 2 * sampling.variance } };
}

/**
 * Weighted mean of scores whose anchors were drawn independently: V = ΣW²V_s with Satterthwaite's degrees of freedom
 * V²/Σ((W²V_s)²/ν_s). One interval at the mean keeps its coverage where scenarios lie near 0 or 1; adding the
 * scenarios' own intervals in quadrature does not.
 * @param parts - shares W, summing to 1
 * @see Satterthwaite (1946), Biometrics Bulletin 2, 110–114
 */
export function weightedScore(parts: readonly (SampledScore & { readonly share: number })[]): SampledScore {
  const sum = (term: (part: SampledScore & { readonly share: number }) => number): number =>
    parts.reduce((total, part) => total + term(part), 0);
  const mean = (term: (part: SampledScore) => number): number =>
    Math.min(
      1,
      sum((part) => part.share * term(part)),
    ); // shares sum to 1 up to rounding
  return {
    score: mean(({ score }) => score),
    bounds: { low: mean(({ bounds }) => bounds.low), high: mean(({ bounds }) => bounds.high) },
    sampling: {
      ...satterthwaite(parts),
      answers: sum(({ sampling }) => sampling.answers),
      right: sum(({ sampling }) => sampling.right),
    },
  };
}

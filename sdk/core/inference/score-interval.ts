import { invalidOption } from "../errors.ts";
import { bernoulliVariance, type Bounds } from "../estimators/answered-sample.ts";
import { studentTQuantile } from "../numeric/distributions.ts";
import { type SamplingVariance, satterthwaite } from "./sampling-variance.ts";

/** A score estimated from anchors that were drawn at random: of one scenario, or of several together. */
export interface SampledScore {
  /** In [0,1]. */
  readonly score: number;
  /** Bounds that the answers alone prove. */
  readonly bounds: Bounds;
  readonly sampling: SamplingVariance;
}

/**
 * Design-based interval of a score: Wilson's at the effective sample size ŝ(1−ŝ)/V with Student's t, so that it keeps
 * its coverage near 0 and 1, inside what the answers prove. A bias b widens both sides to √(side² + t²b²). Answers that
 * are all wrong never rule out 0, nor all right 1.
 * @param level - confidence level in (0,1)
 * @example
 * designInterval({ score: 0.6, bounds: { low: 0.03, high: 0.98 }, sampling: samplingVariance(0.6, sample, residuals)! }, 0.95)
 */
export function designInterval({ score, bounds, sampling }: SampledScore, level: number): Bounds {
  const { variance, degrees, answers, right, bias } = sampling;
  if (variance === 0) return { low: score, high: score };
  const t = studentTQuantile(0.5 + level / 2, degrees);
  const { low, high } = wilsonInterval(score, bernoulliVariance(score, answers) / variance, t);
  return {
    low: Math.min(score, Math.max(right === 0 ? 0 : score - Math.hypot(score - low, t * bias), bounds.low)),
    high: Math.max(score, Math.min(right === answers ? 1 : score + Math.hypot(high - score, t * bias), bounds.high)),
  };
}

/** The same with its variance κ² times as large. */
export function inflated(sampled: SampledScore, inflation: number): SampledScore {
  const { sampling } = sampled;
  return { ...sampled, sampling: { ...sampling, variance: inflation ** 2 * sampling.variance } };
}

/**
 * Weighted mean of scores whose anchors were drawn independently: V = ΣW²V_s with Satterthwaite's degrees of freedom
 * V²/Σ((W²V_s)²/ν_s); biases go together, b = ΣW·b_s. One interval at the mean keeps its coverage where scenarios lie near 0 or 1; adding the
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
      unit: sum(({ share, sampling }) => share ** 2 * sampling.unit),
      bias: sum(({ share, sampling }) => share * sampling.bias),
    },
  };
}

/**
 * Wilson's score interval for a proportion, with any quantile and a fractional sample size.
 * @param p - observed proportion in [0,1]
 * @param n - (effective) sample size > 0
 * @param z - quantile of the pivot: normal, or Student's t where the variance was estimated
 * @see Wilson (1927), JASA 22, 209–212
 * @example wilsonInterval(0.5, 100, 1.96) // ≈ { low: 0.4038, high: 0.5962 }
 */
export function wilsonInterval(p: number, n: number, z: number): Bounds {
  const square = (z * z) / n;
  const centre = (p + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((p * (1 - p)) / n + square / (4 * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** Level of intervals that nobody asked another of, by definition. */
const DEFAULT_LEVEL = 0.95;

/**
 * A confidence level as it was asked for.
 * @returns 0.95 where none was
 * @throws AnchorEvalError `invalid_option` outside (0,1)
 */
export function confidenceLevel(level: number | undefined): number {
  if (level === undefined) return DEFAULT_LEVEL;
  if (!(level > 0 && level < 1)) throw invalidOption(`level must be in (0,1), got ${level}`);
  return level;
}

/** A scenario's part of a variance: its answered items, and its share of the overall score. */
export interface VariancePart {
  /** W, the shares summing to 1. */
  readonly share: number;
  /** Variance of the scenario's own score or difference at `items`. */
  readonly variance: number;
  /** Items answered, n. */
  readonly items: number;
  /** Items that there are, N. */
  readonly of: number;
}

/**
 * Items more, in all scenarios together, at which a variance comes down to what is wanted, every scenario's number
 * growing by the same factor f: ΣW²·σ²·(1/min(fn, N) − 1/N) with σ² = V/(1/n − 1/N). The variance of a draw without
 * replacement is 0 where all items are asked, so there is always an answer.
 * @param wanted - variance, at least 0
 * @returns a whole number, 0 where it is reached already, at most Σ(N − n)
 * @example moreItems([{ share: 1, variance: 0.0016, items: 100, of: 1000 }], 0.0004) // 208
 */
export function moreItems(parts: readonly VariancePart[], wanted: number): number {
  const asked = (factor: number): number[] => parts.map(({ items, of }) => Math.min(of, factor * items));
  const variance = (factor: number): number =>
    asked(factor).reduce((sum, n, k) => {
      const { share, variance: partVariance, items, of } = parts[k]!;
      return partVariance === 0 || n >= of
        ? sum
        : sum + (share ** 2 * partVariance * (1 / n - 1 / of)) / (1 / items - 1 / of);
    }, 0);
  if (variance(1) <= wanted) return 0;
  let low = 1;
  let high = Math.max(...parts.map(({ items, of }) => of / items));
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (variance(middle) > wanted) low = middle;
    else high = middle;
  }
  return asked(high).reduce((sum, n, k) => sum + Math.ceil(n - parts[k]!.items - 1e-6), 0);
}

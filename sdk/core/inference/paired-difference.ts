import type { Bounds } from "../estimators/answered-sample.ts";
import type { AnsweredSample } from "../estimators/types.ts";
import { studentTCdf, studentTQuantile } from "../numeric/distributions.ts";
import { centred, collapsedVariance, type KnownVariance, satterthwaite } from "./sampling-variance.ts";

/** Weight of the variance without a model, in degrees of freedom, that the residuals' variance is shrunk toward. */
const FREE_DEGREES = 2;

/** Weight of a gap of 1 in the mean size of gaps, so that a few small ones don't stand for what other items may show. */
const WHOLE_GAP = 0.25;

/** Of a difference that rests on no draw: both models answered every item. */
export const NO_PAIRED_SAMPLING: KnownVariance = { variance: 0, degrees: Infinity };

/** One model's answers to the items that both answered. */
export interface PairedAnswers {
  /** Items, masses and inclusion probabilities are those of the other model too. */
  readonly sample: AnsweredSample;
  /** Residuals of those answers as if none had moved the ability, (y−p̂)/(1−h), in their order. */
  readonly residuals: ArrayLike<number>;
  /** Their leverages h, from `answerLeverages`. */
  readonly leverages: ArrayLike<number>;
}

/**
 * Design-based variance of the difference of two corrected means on the same anchors: right by the draw of the anchors,
 * whatever the response model is.
 *
 * With residuals e = (y − p̂)/√(1−h) of each model, g = e_B − e_A and z_j = m_j(g_j − ḡ)·√(1−π_j) in the anchors' order,
 * V = n/(2(n−1))·Σ(z_j − z_{j+1})² with ν = 2(n−1)²/(3n−4) degrees of freedom, as `samplingVariance` has it for one
 * score. Dividing by √(1−h) gives back on average what fitting two abilities to these answers took away; the 1−h of a
 * single score's interval gives back too much (docs/comparison.md has the figures).
 *
 * V is shrunk toward the variance without a model, (δ̃ − D²)·Σm²(1−π), with δ̃ = (Σ(y_B−y_A)² + s²)/(n + 2), so that a
 * short run of like answers isn't mistaken for certainty: V* = (κV + 2·free)/(κ + 2), κ = min(ν, 2·rare) with `rare` the
 * answers outside the most frequent of "A higher", "B higher" and "equal". Where answers are graded, or means of several
 * runs, differences count in units of their mean size s = (Σ(y_B−y_A)² + ¼)/(Σ|y_B−y_A| + ¼), which is 1 of right or wrong.
 * @param difference - estimated S_B − S_A, in [−1,1]
 * @returns null for fewer than two drawn anchors, or for a purposive choice of anchors
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8; MacKinnon & White (1985), Journal of Econometrics 29,
 * 305–325 (their HC2)
 */
export function pairedSampling(difference: number, a: PairedAnswers, b: PairedAnswers): KnownVariance | null {
  if (a.sample.inclusion === null) return null;
  const gaps = Float64Array.from(a.sample.scores, (_, j) => answerResidual(b, j) - answerResidual(a, j));
  const collapsed = collapsedVariance(centred(gaps, a.sample.mass), a.sample.mass, a.sample.inclusion);
  if (collapsed === null) return null;
  if (collapsed.drawn.length === 0) return NO_PAIRED_SAMPLING;
  const { drawn } = collapsed;
  return shrunkPaired(difference, collapsed, collapsed.unit, {
    a: drawn.map((j) => a.sample.scores[j]!),
    b: drawn.map((j) => b.sample.scores[j]!),
  });
}

/**
 * A difference's variance by the draw, shrunk toward the one without a model as {@link pairedSampling} says.
 * @param unit - the variance were every value's 1
 * @param scores - of the drawn items that both answered, aligned
 */
export function shrunkPaired(
  difference: number,
  { variance, degrees }: KnownVariance,
  unit: number,
  { a, b }: { readonly a: readonly number[]; readonly b: readonly number[] },
): KnownVariance {
  const n = a.length;
  const gaps = a.map((own, j) => b[j]! - own);
  const total = (gap: (gap: number) => number): number => gaps.reduce((sum, own) => sum + gap(own), 0);
  const [aAhead, bAhead] = [total((gap) => Math.max(0, -gap)), total((gap) => Math.max(0, gap))];
  const squares = total((gap) => gap ** 2);
  const size = (squares + WHOLE_GAP) / (aAhead + bAhead + WHOLE_GAP);
  const differing = (aAhead + bAhead) / size;
  const known = Math.min(degrees, 2 * (n - Math.max(aAhead / size, bAhead / size, n - differing)));
  // δ̃ − D² of one item, δ̃ at least |D| times the mean size of a gap, which of binary scores is 1.
  const free = Math.max((squares + size ** 2) / (n + 2), size * Math.abs(difference)) - difference ** 2;
  return {
    variance: (known * variance + FREE_DEGREES * Math.max(0, free) * unit) / (known + FREE_DEGREES),
    degrees: degrees + FREE_DEGREES,
  };
}

/** An answer's residual (y − p̂)/√(1−h), of the variance that it has where no answer moves the ability. */
export function answerResidual({ residuals, leverages }: PairedAnswers, j: number): number {
  return residuals[j]! * Math.sqrt(1 - leverages[j]!);
}

/** A difference of two models' scores, S_B − S_A, from the same anchors: of one scenario, or of several together. */
export interface SampledDifference {
  /** In [−1,1]; above 0 where B's score is the higher. */
  readonly difference: number;
  /** Bounds that the answers alone prove. */
  readonly bounds: Bounds;
  /** By the draw of the anchors, a fraction squared. */
  readonly sampling: KnownVariance;
}

/**
 * Design-based interval of a difference of scores: D ± t·√V* with Student's t, inside what the answers prove. Turned
 * around it is the interval of S_A − S_B.
 * @param level - confidence level in (0,1)
 * @example pairedInterval({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }, 0.95) // ≈ { low: -0.0043, high: 0.2043 }
 */
export function pairedInterval({ difference, bounds, sampling }: SampledDifference, level: number): Bounds {
  if (sampling.variance === 0) return { low: difference, high: difference };
  const half = studentTQuantile(0.5 + level / 2, sampling.degrees) * Math.sqrt(sampling.variance);
  return {
    low: Math.min(difference, Math.max(difference - half, bounds.low)),
    high: Math.max(difference, Math.min(difference + half, bounds.high)),
  };
}

/**
 * One-sided confidence that B's full score is the higher: the level at which the one-sided interval of S_B − S_A just
 * excludes 0, F_t(D/√V*). It is 1 or 0 where the answers prove it, ½ for a difference of 0, and 1 minus it is the
 * confidence that A's is the higher.
 * @example oneSidedConfidence({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }) // ≈ 0.9704
 */
export function oneSidedConfidence({ difference, bounds, sampling }: SampledDifference): number {
  if (bounds.low > 0) return 1;
  if (bounds.high < 0) return 0;
  if (difference === 0) return 0.5;
  if (sampling.variance === 0) return difference > 0 ? 1 : 0;
  return studentTCdf(difference / Math.sqrt(sampling.variance), Math.min(sampling.degrees, 1e7));
}

/** The same of S_A − S_B. */
export function turnedDifference({ difference, bounds, sampling }: SampledDifference): SampledDifference {
  return { difference: -difference, bounds: { low: -bounds.high, high: -bounds.low }, sampling };
}

/**
 * Weighted mean of differences whose anchors were drawn independently, as `weightedScore` has it for scores.
 * @param parts - shares W, summing to 1
 */
export function weightedDifference(
  parts: readonly (SampledDifference & { readonly share: number })[],
): SampledDifference {
  const mean = (term: (part: SampledDifference) => number): number => {
    const sum = parts.reduce((total, part) => total + part.share * term(part), 0);
    return Math.max(-1, Math.min(1, sum)); // shares sum to 1 up to rounding
  };
  return {
    difference: mean(({ difference }) => difference),
    bounds: { low: mean(({ bounds }) => bounds.low), high: mean(({ bounds }) => bounds.high) },
    sampling: satterthwaite(parts),
  };
}

/** Items on which A's score is the higher, and on which B's is. */
export interface Discordance {
  readonly aHigher: number;
  readonly bHigher: number;
}

/**
 * Counts the items on which two models' scores differ.
 * @param a - scores in [0,1], aligned with `b`; no missing ones
 * @example discordance(Float64Array.of(1, 0, 1), Float64Array.of(1, 1, 0)).bHigher // 1
 */
export function discordance(a: Float64Array, b: Float64Array): Discordance {
  const count = (higher: Float64Array, lower: Float64Array): number =>
    higher.reduce((sum, score, j) => sum + (score > lower[j]! ? 1 : 0), 0);
  return { aHigher: count(a, b), bHigher: count(b, a) };
}

/**
 * Two-sided mid-p McNemar test of two models' answers to the same items: p = 2·P(X < k) + P(X = k), X binomial with
 * b + c trials at ½ and k = min(b, c). Exact but for the half of P(X = k), which takes back what makes the exact test
 * too cautious. Where scores lie between 0 and 1 too, it is the sign test of which one is higher.
 * @param b - items on which one model's score is the higher, whole, at least 0
 * @param c - items on which the other's is
 * @returns a p-value in (0,1]; 1 where b = c
 * @see Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13, 91
 * @example midPMcNemar(1, 5) // ≈ 0.125
 */
export function midPMcNemar(b: number, c: number): number {
  const n = b + c;
  const least = Math.min(b, c);
  if (b === c) return 1;
  let log = -n * Math.LN2;
  for (let k = 1; k <= least; k++) log += Math.log((n - k + 1) / k);
  // P(X = k−1)/P(X = k) = k/(n−k+1) < 1 below the middle.
  let ratio = 1;
  let below = 0;
  for (let k = least; k > 0 && ratio > 1e-18 * below; k--) {
    ratio *= k / (n - k + 1);
    below += ratio;
  }
  return Math.min(1, Math.exp(log) * (2 * below + 1));
}

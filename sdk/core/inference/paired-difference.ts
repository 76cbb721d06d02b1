import type { Bounds } from "../estimators/answered-sample.ts";
import type { AnsweredSample } from "../estimators/types.ts";
import { studentTCdf, studentTQuantile } from "../numeric/distributions.ts";
import { centred, collapsedVariance, type KnownVariance, satterthwaite } from "./sampling-variance.ts";

/**
 * Weight of the variance without a model, in degrees of freedom, that the residuals' variance is shrunk toward
 * (docs/decisions/intervals.md).
 */
const FREE_DEGREES = 2;

/**
 * Weight of a gap of 1 in the mean size of gaps, so that a few small ones don't stand for what other items may show.
 * Chosen, not measured.
 */
const WHOLE_GAP = 0.25;

/** Of a difference that rests on no draw: both models answered every item. */
export const NO_PAIRED_SAMPLING: KnownVariance = { variance: 0, degrees: Infinity };

/** Variance of a difference; near 0 it rests on few answers, which two figures beside it count. */
export interface DifferenceVariance extends KnownVariance {
  /** Σw² where the items are taken for a draw: about a true difference of 0 the variance is V + unit·D². @default 0 */
  readonly unit?: number;
  /** Half of what one answer moves the difference by, which is no evidence. @default 0 */
  readonly step?: number;
}

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
  const gaps = a.sample.scores.map((_, j) => answerResidual(b, j) - answerResidual(a, j));
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
  const { aAhead, bAhead, squares, size } = gapSums(a, b);
  const differing = (aAhead + bAhead) / size;
  const measuredDegrees = Math.min(degrees, 2 * (n - Math.max(aAhead / size, bAhead / size, n - differing)));
  // δ̃ − D² of one item, δ̃ at least |D| times the mean size of a gap, which of binary scores is 1.
  const free = Math.max((squares + size ** 2) / (n + 2), size * Math.abs(difference)) - difference ** 2;
  return {
    variance: (measuredDegrees * variance + FREE_DEGREES * Math.max(0, free) * unit) / (measuredDegrees + FREE_DEGREES),
    degrees: degrees + FREE_DEGREES,
  };
}

/** How far either model is ahead, Σ(y_B − y_A)², and the mean size of a difference, in (0,1]. */
function gapSums(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): Readonly<Record<"aAhead" | "bAhead" | "squares" | "size", number>> {
  let [aAhead, bAhead, squares] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    const gap = b[j]! - a[j]!;
    aAhead += Math.max(0, -gap);
    bAhead += Math.max(0, gap);
    squares += gap ** 2;
  }
  return { aAhead, bAhead, squares, size: (squares + WHOLE_GAP) / (aAhead + bAhead + WHOLE_GAP) };
}

/**
 * Variance of the difference D of two scores of all N items about that on tasks like these, the items a draw of such tasks:
 * Σ_N w²(d − D)², d = y_B − y_A, by the answered ones, Σ_A m·w·(d − D)²·n/(n−1), m·w being w²/π; shrunk toward the variance
 * without a model as {@link pairedSampling} has it, and known to as many degrees of freedom as answers differ, and two. The noise
 * of both runs is in it. With all items answered right or wrong and counting alike, {@link oneSidedConfidence} of it is
 * McNemar's test with half of the continuity correction, by Student's t.
 * @param weights - of all items, summing to 1
 * @param a - answers to items that both answered
 */
export function taskSampling(weights: ArrayLike<number>, a: AnsweredSample, b: AnsweredSample): DifferenceVariance {
  const { items, mass } = a;
  const n = items.length;
  const gaps = a.scores.map((score, j) => b.scores[j]! - score);
  const mean = gaps.reduce((sum, gap, j) => sum + mass[j]! * gap, 0);
  let [variance, unit] = [0, 0];
  for (let j = 0; j < n; j++) {
    const square = mass[j]! * weights[items[j]!]!;
    unit += square;
    variance += (square * (gaps[j]! - mean) ** 2 * n) / Math.max(1, n - 1);
  }
  const { aAhead, bAhead, size } = gapSums(a.scores, b.scores);
  const scores = { a: Array.from(a.scores), b: Array.from(b.scores) };
  const shrunk = shrunkPaired(mean, { variance, degrees: Infinity }, unit, scores);
  const degrees = (aAhead + bAhead) / size + FREE_DEGREES;
  return { variance: shrunk.variance, degrees, unit, step: answerStep(unit, a, b) };
}

/** Half of what one differing answer moves the difference of the scores of all items by. @param unit - Σw² */
export function answerStep(unit: number, a: AnsweredSample, b: AnsweredSample): number {
  return (gapSums(a.scores, b.scores).size * unit) / 2;
}

/** A difference that has another error beside that of its draw, and is of more than what was asked: nothing proves a bound. */
export function widenedDifference(
  { difference, sampling }: SampledDifference,
  { unit = 0, step = 0, ...more }: DifferenceVariance,
): SampledDifference {
  const sum = satterthwaite([sampling, more].map((part) => ({ share: 1, sampling: part })));
  return { difference, bounds: { low: -1, high: 1 }, sampling: { ...sum, unit, step } };
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
  /** By the draw of the anchors, and of what else is taken for drawn, a fraction squared. */
  readonly sampling: DifferenceVariance;
}

/**
 * Interval of a difference of scores: D ± t·√V with Student's t, inside what the answers prove. Turned around it is the
 * interval of S_A − S_B. With `unit` and `step` it has the true differences δ for which |D − δ| − step is at most
 * t·√(V + unit·(D − δ)²).
 * @param level - confidence level in (0,1)
 * @example pairedInterval({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }, 0.95) // ≈ { low: -0.0043, high: 0.2043 }
 */
export function pairedInterval(sampled: SampledDifference, level: number): Bounds {
  return differenceBounds(sampled, 0.5 + level / 2);
}

/** Both one-sided bounds of a difference. @param confidence - of each by itself, in (½,1) */
export function differenceBounds({ difference, bounds, sampling }: SampledDifference, confidence: number): Bounds {
  const half = halfWidth(sampling, confidence);
  return {
    low: Math.min(difference, Math.max(difference - half, bounds.low)),
    high: Math.max(difference, Math.min(difference + half, bounds.high)),
  };
}

/** How far a true difference may lie from its estimate at a one-sided confidence; Infinity where the items are too few to say. */
export function halfWidth({ variance, degrees, unit = 0, step = 0 }: DifferenceVariance, confidence: number): number {
  if (variance === 0 && step === 0) return 0;
  const t = studentTQuantile(confidence, degrees);
  const rest = 1 - t * t * unit;
  return rest <= 0 ? Infinity : (step + t * Math.sqrt(rest * variance + unit * step ** 2)) / rest;
}

/**
 * One-sided confidence that B's full score is the higher: the level at which the one-sided interval of S_B − S_A just
 * excludes 0, F_t((|D| − step)/√(V + unit·D²)) of D above 0. It is 1 or 0 where the answers prove it, ½ for a difference of 0
 * or below a step, and 1 minus it is the confidence that A's is the higher.
 * @example oneSidedConfidence({ difference: 0.1, bounds: { low: -1, high: 1 }, sampling: { variance: 0.0025, degrees: 20 } }) // ≈ 0.9704
 */
export function oneSidedConfidence({ difference, bounds, sampling }: SampledDifference): number {
  const { variance, degrees, unit = 0, step = 0 } = sampling;
  if (bounds.low > 0) return 1;
  if (bounds.high < 0) return 0;
  const size = Math.abs(difference) - step;
  if (difference === 0 || size <= 0) return 0.5;
  const error = Math.sqrt(variance + unit * difference ** 2);
  if (error === 0) return difference > 0 ? 1 : 0;
  return studentTCdf((Math.sign(difference) * size) / error, Math.min(degrees, 1e7));
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
    sampling: sumOfVariances(parts),
  };
}

/** Variance of a weighted sum of independent differences. @param parts - shares W, summing to 1 */
export function sumOfVariances(
  parts: readonly { readonly share: number; readonly sampling: DifferenceVariance }[],
): DifferenceVariance {
  const squares = (term: (sampling: DifferenceVariance) => number): number =>
    parts.reduce((sum, { share, sampling }) => sum + share ** 2 * term(sampling), 0);
  const [unit, step] = [squares((part) => part.unit ?? 0), squares((part) => part.step ?? 0)];
  return { ...satterthwaite(parts), ...(step > 0 && { unit, step }) };
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

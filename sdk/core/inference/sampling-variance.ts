import { bernoulliVariance } from "../estimators/answered-sample.ts";
import type { BlendedEstimates } from "../estimators/blend-estimates.ts";
import type { AnsweredSample, DrawnAnswers, Tightening } from "../estimators/types.ts";

/**
 * Weight of the binomial variance, in degrees of freedom, that the residuals' variance is shrunk toward
 * (docs/decisions/intervals.md).
 */
const BINOMIAL_DEGREES = 2;

/** A variance with the degrees of freedom that it is known to; Infinity where nothing was drawn. */
export interface KnownVariance {
  readonly variance: number;
  readonly degrees: number;
}

/** Sampling variance of a score, a fraction squared, by the draw of the anchors. */
export interface SamplingVariance extends KnownVariance, DrawnAnswers {
  /** Sum of the drawn answers' scores. */
  readonly right: number;
  /** Error that the score may have beyond the draw, signed: it goes together over scenarios. 0 of a draw alone. */
  readonly bias: number;
}

/** Of a score that rests on no draw: every item was answered. */
export const NO_SAMPLING: SamplingVariance = { variance: 0, degrees: Infinity, answers: 0, right: 0, unit: 0, bias: 0 };

/**
 * Design-based variance of a corrected mean: right by the draw of the anchors, whatever the response model is.
 *
 * With linearised residuals z_i = m_i(e_i − ē)·√(1−π_i) in the anchors' order, V = n/(2(n−1))·Σ(z_i − z_{i+1})²
 * (collapsed neighbouring strata, finite population) with ν = 2(n−1)²/(3n−4) degrees of freedom. It is shrunk, with
 * the weight of two degrees of freedom, toward the variance without a model, ŝ(1−ŝ)·Σm²(1−π) at
 * ŝ = (n·score + 1)/(n + 2), so that a short run of right predictions isn't mistaken for certainty. A variance that
 * rests on few events is known to about two degrees of freedom an event, so V's weight is min(ν, 2·min(right, wrong)).
 * @param score - the estimated score, in [0,1]
 * @param residuals - leave-one-out residuals y − p̂ of the answered anchors, in their order
 * @returns null for fewer than two answers of a sample, or for a purposive choice of anchors
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8; Särndal, Swensson & Wretman (1992)
 */
export function samplingVariance(
  score: number,
  sample: AnsweredSample,
  residuals: Float64Array,
): SamplingVariance | null {
  if (sample.inclusion === null) return null;
  const collapsed = collapsedVariance(centred(residuals, sample.mass), sample.mass, sample.inclusion);
  if (collapsed === null) return null;
  if (collapsed.drawn.length === 0) return NO_SAMPLING;
  const right = collapsed.drawn.reduce((sum, j) => sum + sample.scores[j]!, 0);
  return shrunkSampling(score, collapsed, collapsed.unit, { answers: collapsed.drawn.length, right });
}

/**
 * A score's variance by the draw, shrunk toward the one without a model as {@link samplingVariance} says.
 * @param unit - the variance were every value's 1
 */
export function shrunkSampling(
  score: number,
  { variance, degrees }: KnownVariance,
  unit: number,
  { answers, right }: Pick<SamplingVariance, "answers" | "right">,
): SamplingVariance {
  const binomial = bernoulliVariance(score, answers) * unit;
  const measuredDegrees = Math.min(degrees, 2 * Math.min(right, answers - right));
  return {
    variance: (measuredDegrees * variance + BINOMIAL_DEGREES * binomial) / (measuredDegrees + BINOMIAL_DEGREES),
    degrees: degrees + BINOMIAL_DEGREES,
    answers,
    right,
    unit,
    bias: 0,
  };
}

/** The variance, that of as many random items at least: where source models are too few to have measured anything. */
export function atLeastBinomial(sampling: SamplingVariance, score: number): SamplingVariance {
  const { variance, answers } = sampling;
  return answers === 0
    ? sampling
    : { ...sampling, variance: Math.max(variance, bernoulliVariance(score, answers) / answers) };
}

/**
 * Variance of a weighted sum of independent parts, V = ΣW²V_s, with V²/Σ((W²V_s)²/ν_s) degrees of freedom.
 * @see Satterthwaite (1946), Biometrics Bulletin 2, 110–114
 */
export function satterthwaite(
  parts: readonly { readonly share: number; readonly sampling: KnownVariance }[],
): KnownVariance {
  let variance = 0;
  let spread = 0;
  for (const { share, sampling } of parts) {
    const part = share ** 2 * sampling.variance;
    variance += part;
    spread += part ** 2 / sampling.degrees;
  }
  return { variance, degrees: variance === 0 ? Infinity : variance ** 2 / spread };
}

/** n/(2(n−1))·Σ(z_j − z_{j+1})² with ν = 2(n−1)²/(3n−4), of a weighted sum over anchors that were drawn one a stratum. */
interface CollapsedVariance extends KnownVariance {
  /** Σ m²(1−π): the variance were every value's 1. */
  readonly unit: number;
  /** Positions of the values that were drawn: those that are always asked add no sampling error. */
  readonly drawn: readonly number[];
}

/**
 * Variance of Σ m·e by the draw of the anchors: with z_j = m_j·e_j·√(1−π_j) in the anchors' order, neighbouring
 * strata collapsed and the population finite.
 * @param values - e of every answered anchor, in their order; {@link centred} where the sum is a mean, Σm = 1 for any draw
 * @param inclusion - π of every answered anchor
 * @returns no variance where nothing was drawn; null for a single drawn anchor
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8
 */
export function collapsedVariance(
  values: ArrayLike<number>,
  mass: AnsweredSample["mass"],
  inclusion: Float64Array,
): CollapsedVariance | null {
  const drawn: number[] = [];
  let previous = 0;
  let squares = 0;
  let unit = 0;
  for (let j = 0; j < values.length; j++) {
    const open = 1 - inclusion[j]!;
    if (open <= 1e-12) continue; // always asked
    const z = mass[j]! * values[j]! * Math.sqrt(open);
    if (drawn.length > 0) squares += (z - previous) ** 2;
    previous = z;
    unit += mass[j]! ** 2 * open;
    drawn.push(j);
  }
  const n = drawn.length;
  if (n === 0) return { variance: 0, degrees: Infinity, unit: 0, drawn };
  if (n === 1) return null;
  return { variance: (n / (2 * (n - 1))) * squares, degrees: collapsedDegrees(n), unit, drawn };
}

/** ν = 2(n−1)²/(3n−4) of n ≥ 2 collapsed strata. */
export function collapsedDegrees(n: number): number {
  return (2 * (n - 1) ** 2) / (3 * n - 4);
}

/** e − Σm·e: what a mean's error by the draw rests on, where the masses m always sum to 1. */
export function centred(values: ArrayLike<number>, mass: AnsweredSample["mass"]): Float64Array {
  let mean = 0;
  for (let j = 0; j < values.length; j++) mean += mass[j]! * values[j]!;
  const rest = new Float64Array(values.length);
  for (let j = 0; j < values.length; j++) rest[j] = values[j]! - mean;
  return rest;
}

/** How a gated blend's variance follows from V, that of `p-irt-dr` by the draw of the anchors: within·V + bias. */
export interface GatedVariance {
  /** (1−P)·τ² + P·((1−η)·ρ² + η). */
  readonly within: number;
  /** P·u² + P(1−P)·g². */
  readonly bias: number;
}

/**
 * Multiple of V up to which the draw alone may explain d², the squared difference of both estimates outside. Chosen,
 * not measured.
 */
const EXPLAINED = 2;

/**
 * Share that the recalibrated mean has, however sure it is, where an interval asks what trusting it may cost. Chosen,
 * not measured.
 */
const TRUSTED = 0.5;

/**
 * Variance of a gated blend, by the law of total variance over being inside the range seen or outside of it:
 * (1−P)·τ²V + P·(ρ²V + u²) + P(1−P)·g². Inside, the stack errs less than the draw of the anchors would make it, by the
 * tightening τ that held-out models were measured to allow; outside, the estimate w·R + (1−w)·aipw errs less by ρ, unless
 * the answers follow no prediction, by the chance η: ρ² is (1−η)·ρ² + η there. As long as it isn't known which, the gap g
 * between inside and outside is an error too. With d what the two outside differ by,
 * u² = h(1−h)·d² + η(1−η)·d² + w²·max(0, d² − 2V), h = min(w, ½): not knowing which to trust may cost the first two, and a
 * difference that the draw doesn't explain says that the response model is wrong of this model, by its share in what is
 * shown.
 * @param blended - P, the share of the gate that stands outside the range seen, g, η, w and d
 * @param tightening - τ and ρ
 * @param sampling - V
 */
export function gatedVariance(
  { share, gap, beyond: { unlike, weight, difference } }: Pick<BlendedEstimates, "share" | "gap" | "beyond">,
  tightening: Tightening,
  { variance }: Pick<SamplingVariance, "variance">,
): GatedVariance {
  const square = difference ** 2;
  const trust = Math.min(weight, TRUSTED);
  const unknown = trust * (1 - trust) + unlike * (1 - unlike);
  const doubt = unknown * square + weight ** 2 * Math.max(0, square - EXPLAINED * variance);
  const outside = (1 - unlike) * tightening.outside ** 2 + unlike;
  return {
    within: (1 - share) * tightening.inside ** 2 + share * outside,
    bias: share * (doubt + (1 - share) * gap ** 2),
  };
}

/**
 * A gated blend's sampling variance, its bias on the side that the recalibrated mean lies of `aipw`.
 * @param sampling - of `p-irt-dr`
 */
export function gatedSampling(
  sampling: SamplingVariance,
  { within, bias }: GatedVariance,
  { beyond }: Pick<BlendedEstimates, "beyond">,
): SamplingVariance {
  return {
    ...sampling,
    variance: within * sampling.variance,
    bias: Math.sign(beyond.difference) * Math.sqrt(bias),
  };
}

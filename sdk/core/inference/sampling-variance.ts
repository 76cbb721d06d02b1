import type { AnsweredSample } from "../estimators/types.ts";
import type { KnownVariance } from "./satterthwaite.ts";
import { centred, collapsedVariance } from "./collapsed-strata.ts";

/** Weight of the binomial variance, in degrees of freedom, that the residuals' variance is shrunk toward. */
const BINOMIAL_DEGREES = 2;

/** What the draw of the anchors makes of a score's error. */
export interface SamplingVariance {
  /** Variance of the score, a fraction squared. */
  readonly variance: number;
  /** Degrees of freedom that the variance is known to; Infinity where nothing was drawn. */
  readonly degrees: number;
  /** Answers to items that were drawn: those that are always asked add no sampling error. */
  readonly answers: number;
  /** Sum of their scores. */
  readonly right: number;
}

/** Of a score that rests on no draw: every item was answered. */
export const NO_SAMPLING: SamplingVariance = { variance: 0, degrees: Infinity, answers: 0, right: 0 };

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
  if (collapsed === "none") return NO_SAMPLING;
  if (collapsed === null) return null;
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
  const known = Math.min(degrees, 2 * Math.min(right, answers - right));
  return {
    variance: (known * variance + BINOMIAL_DEGREES * binomial) / (known + BINOMIAL_DEGREES),
    degrees: degrees + BINOMIAL_DEGREES,
    answers,
    right,
  };
}

/** ŝ(1−ŝ) of one answer at ŝ = (n·score + 1)/(n + 2), never 0: a uniform prior's two answers beside the n seen. */
export function bernoulliVariance(score: number, answers: number): number {
  const shrunk = (score * answers + 1) / (answers + 2);
  return shrunk * (1 - shrunk);
}

import type { AnsweredSample } from "../estimators/types.ts";
import { centred, collapsedVariance } from "./collapsed-strata.ts";
import { discordance } from "./discordance.ts";
import type { KnownVariance } from "./satterthwaite.ts";

/** Weight of the variance without a model, in degrees of freedom, that the residuals' variance is shrunk toward. */
const FREE_DEGREES = 2;

/** What the draw of the anchors makes of the error of a difference of two scores: a fraction squared. */
export type PairedSampling = KnownVariance;

/** Of a difference that rests on no draw: both models answered every item. */
export const NO_PAIRED_SAMPLING: PairedSampling = { variance: 0, degrees: Infinity };

/** One model's answers to the items that both answered. */
export interface PairedAnswers {
  /** Items, masses and inclusion probabilities are those of the other model too. */
  readonly sample: AnsweredSample;
  /** Predicted scores p̂ of those items, in their order. */
  readonly predicted: ArrayLike<number>;
  /** Leverages h of those answers, from `answerLeverages`. */
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
 * V is shrunk toward the variance without a model, (δ̃ − D²)·Σm²(1−π), with δ̃ = (Σ(y_B−y_A)² + 1)/(n + 2), so that a
 * short run of like answers isn't mistaken for certainty: V* = (κV + 2·free)/(κ + 2), κ = min(ν, 2·rare) with `rare` the
 * answers outside the most frequent of "A higher", "B higher" and "equal".
 * @param difference - estimated S_B − S_A, in [−1,1]
 * @returns null for fewer than two drawn anchors, or for a purposive choice of anchors
 * @see Wolter (2007), Introduction to Variance Estimation, ch. 8; MacKinnon & White (1985), Journal of Econometrics 29,
 * 305–325 (their HC2)
 */
export function pairedSampling(difference: number, a: PairedAnswers, b: PairedAnswers): PairedSampling | null {
  if (a.sample.inclusion === null) return null;
  const gaps = Float64Array.from(a.sample.scores, (_, j) => residual(b, j) - residual(a, j));
  const collapsed = collapsedVariance(centred(gaps, a.sample.mass), a.sample.mass, a.sample.inclusion);
  if (collapsed === "none") return NO_PAIRED_SAMPLING;
  if (collapsed === null) return null;
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
): PairedSampling {
  const n = a.length;
  const { aAhead, bAhead } = discordance(a, b);
  const known = Math.min(degrees, 2 * (n - Math.max(aAhead, bAhead, n - aAhead - bAhead)));
  const squares = a.reduce((sum, own, j) => sum + (b[j]! - own) ** 2, 0);
  const size = squares > 0 ? squares / (aAhead + bAhead) : 1;
  const free = Math.max(0, freeVariance(difference, squares, size, n)) * unit;
  return {
    variance: (known * variance + FREE_DEGREES * free) / (known + FREE_DEGREES),
    degrees: degrees + FREE_DEGREES,
  };
}

/**
 * δ̃ − D² of one item, δ̃ = (Σg² + 1)/(n + 2) at least |D| times the mean size of a gap: the variance of g = y_B − y_A,
 * which of binary scores is 0 or ±1.
 */
function freeVariance(difference: number, squares: number, size: number, n: number): number {
  return Math.max((squares + 1) / (n + 2), size * Math.abs(difference)) - difference ** 2;
}

function residual({ sample, predicted, leverages }: PairedAnswers, j: number): number {
  return (sample.scores[j]! - predicted[j]!) / Math.sqrt(1 - leverages[j]!);
}

import { cholesky, choleskySolve } from "../numeric/dense.ts";
import type { AnchorFactors } from "./types.ts";

/** The answers of one scenario with what its factors say of them. */
export interface FactoredAnswers {
  readonly factors: AnchorFactors;
  /** Aligned with the factors' rows; NaN = no answer. */
  readonly scores: ArrayLike<number>;
}

/**
 * What answers say of a model's factors, û = (I + Σ zzᵀ/d)⁻¹ Σ z(y−μ)/d over all answers, under {@link AnchorFactors}.
 * Answers of several scenarios count together where their factors are the same. What is unanswered is left out exactly.
 * @param parts - one a scenario
 * @param factor - Cholesky's L of the posterior precision I + Σ zzᵀ/d of the same answers, where it is known
 * @returns the posterior mean of u, Q
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorScores(
  parts: readonly FactoredAnswers[],
  factor: Float64Array = precisionFactor(parts),
): Float64Array {
  const { rank } = parts[0]!.factors;
  const slope = new Float64Array(rank);
  for (const { factors, scores } of parts) {
    const { mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      const scaled = (scores[row]! - mean[row]!) / noise[row]!;
      if (Number.isNaN(scaled)) continue;
      for (let r = 0; r < rank; r++) slope[r] = slope[r]! + scaled * loadings[row * rank + r]!;
    }
  }
  return choleskySolve(factor, rank, slope);
}

/**
 * What {@link factorScores} solves by, L of LLᵀ = I + Σ zzᵀ/d. It depends on which items were answered, not on how: models
 * that answered the same ones share it.
 * @param precision - {@link factorPrecision} of the same answers, where it is known
 */
export function precisionFactor(
  parts: readonly FactoredAnswers[],
  precision: Float64Array = factorPrecision(parts),
): Float64Array {
  return cholesky(precision, parts[0]!.factors.rank)!; // I plus a Gram matrix is positive definite
}

/**
 * The posterior precision of a model's factors, I + Σ zzᵀ/d. It depends on which items were answered, not on how.
 * @returns Q×Q row-major, the lower triangle alone
 */
export function factorPrecision(parts: readonly FactoredAnswers[]): Float64Array {
  const { rank } = parts[0]!.factors;
  const precision = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
  addInformation(precision, parts, (score) => !Number.isNaN(score), 1);
  return precision;
}

/**
 * {@link factorPrecision} of some answers from that of all items, without those that have none: cheaper where few are
 * missing.
 * @param whole - of the same parts with every item answered
 */
export function precisionWithout(whole: Float64Array, parts: readonly FactoredAnswers[]): Float64Array {
  const precision = Float64Array.from(whole);
  addInformation(precision, parts, Number.isNaN, -1);
  return precision;
}

/** Adds sign·zzᵀ/d of the rows that count to the lower triangle. */
function addInformation(
  precision: Float64Array,
  parts: readonly FactoredAnswers[],
  counts: (score: number) => boolean,
  sign: number,
): void {
  for (const { factors, scores } of parts) {
    const { rank, mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      if (!counts(scores[row]!)) continue;
      for (let r = 0; r < rank; r++) {
        const scaled = (sign * loadings[row * rank + r]!) / noise[row]!;
        for (let c = 0; c <= r; c++)
          precision[r * rank + c] = precision[r * rank + c]! + scaled * loadings[row * rank + c]!;
      }
    }
  }
}

import { cholesky, choleskySolve } from "../numeric/cholesky.ts";
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
 * @param precision - {@link factorPrecision} of the same answers, where it is known
 * @returns the posterior mean of u, Q
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorScores(
  parts: readonly FactoredAnswers[],
  precision: Float64Array = factorPrecision(parts),
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
  return choleskySolve(precision, rank, slope);
}

/**
 * The posterior precision of a model's factors, I + Σ zzᵀ/d. It depends on which items were answered, not on how.
 * @returns its Cholesky factor, Q×Q row-major
 */
export function factorPrecision(parts: readonly FactoredAnswers[]): Float64Array {
  const { rank } = parts[0]!.factors;
  const precision = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
  for (const { factors, scores } of parts) {
    const { mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      if (Number.isNaN(scores[row]!)) continue;
      for (let r = 0; r < rank; r++) {
        const scaled = loadings[row * rank + r]! / noise[row]!;
        for (let c = 0; c <= r; c++)
          precision[r * rank + c] = precision[r * rank + c]! + scaled * loadings[row * rank + c]!;
      }
    }
  }
  return cholesky(precision, rank)!; // I plus a Gram matrix is positive definite
}

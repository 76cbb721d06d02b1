import { cholesky, choleskySolve } from "../numeric/cholesky.ts";
import type { AnchorFactors } from "./types.ts";

/**
 * What answers say of a model's factors, û = (I + Σ zzᵀ/d)⁻¹ Σ z(y−μ)/d over all answers, under {@link AnchorFactors}.
 * Answers of several scenarios count together where their factors are the same.
 * @param parts - one a scenario, scores aligned with its rows; NaN = no answer, left out exactly
 * @returns the posterior mean of u, Q
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorScores(
  parts: readonly { readonly factors: AnchorFactors; readonly scores: ArrayLike<number> }[],
): Float64Array {
  const { rank } = parts[0]!.factors;
  const precision = new Float64Array(rank * rank);
  const slope = new Float64Array(rank);
  for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
  for (const { factors, scores } of parts) {
    const { mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      const residual = scores[row]! - mean[row]!;
      if (Number.isNaN(residual)) continue;
      for (let r = 0; r < rank; r++) {
        const scaled = loadings[row * rank + r]! / noise[row]!;
        slope[r] = slope[r]! + scaled * residual;
        for (let c = 0; c <= r; c++)
          precision[r * rank + c] = precision[r * rank + c]! + scaled * loadings[row * rank + c]!;
      }
    }
  }
  return choleskySolve(cholesky(precision, rank)!, rank, slope); // I plus a Gram matrix is positive definite
}

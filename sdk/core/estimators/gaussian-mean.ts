import { cholesky, choleskySolve } from "../numeric/cholesky.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/**
 * `gaussian`: the conditional mean of the full score given the answers, under the factor model of {@link AnchorFactors}:
 * Σ_A w·y + Σ_U w·μ + (Σ_U w·z)·û, û = (I + Σ_A zzᵀ/d)⁻¹ Σ_A z(y−μ)/d, A the answered items and U the rest. Missing
 * answers are left out, exactly. Best among models like the sources; it knows nothing of stronger ones.
 * @param weights - item weights of the scenario, summing to 1
 * @returns not brought into [0,1]
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.2 and appendix A.3 (Woodbury)
 */
export function gaussianMean(factors: AnchorFactors, weights: Float64Array, sample: AnsweredSample): number {
  const { rank, mean, loadings, noise, total } = factors;
  const precision = new Float64Array(rank * rank);
  const slope = new Float64Array(rank);
  const rest = Float64Array.from(total.loadings);
  for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
  let score = total.mean;
  for (let j = 0; j < sample.items.length; j++) {
    const row = sample.positions[j]!;
    const weight = weights[sample.items[j]!]!;
    const residual = sample.scores[j]! - mean[row]!;
    score += weight * residual;
    for (let r = 0; r < rank; r++) {
      const loading = loadings[row * rank + r]!;
      const scaled = loading / noise[row]!;
      rest[r]! -= weight * loading;
      slope[r]! += scaled * residual;
      for (let c = 0; c <= r; c++) precision[r * rank + c]! += scaled * loadings[row * rank + c]!;
    }
  }
  const factor = choleskySolve(cholesky(precision, rank)!, rank, slope); // I plus a Gram matrix is positive definite
  for (let r = 0; r < rank; r++) score += rest[r]! * factor[r]!;
  return score;
}

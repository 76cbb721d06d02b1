import type { AnchorFactors, AnsweredSample } from "./types.ts";

/**
 * `gaussian`: the conditional mean of the full score given the answers, under the factor model of {@link AnchorFactors}:
 * Σ_A w·y + Σ_U w·μ + (Σ_U w·z)·û, A the answered items and U the rest. Best among models like the sources; it knows
 * nothing of stronger ones.
 * @param weights - item weights of the scenario, summing to 1
 * @param scores - û of the model, from these answers at least ({@link factorScores})
 * @returns not brought into [0,1]
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.2 and appendix A.3 (Woodbury)
 */
export function gaussianMean(
  { rank, mean, loadings, total }: AnchorFactors,
  weights: Float64Array,
  sample: AnsweredSample,
  scores: Float64Array,
): number {
  const rest = Float64Array.from(total.loadings);
  let score = total.mean;
  for (let j = 0; j < sample.items.length; j++) {
    const row = sample.positions[j]!;
    const weight = weights[sample.items[j]!]!;
    score += weight * (sample.scores[j]! - mean[row]!);
    for (let r = 0; r < rank; r++) rest[r] = rest[r]! - weight * loadings[row * rank + r]!;
  }
  for (let r = 0; r < rank; r++) score += rest[r]! * scores[r]!;
  return score;
}

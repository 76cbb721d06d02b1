import type { AnsweredSample } from "./types.ts";

/**
 * `anchor-mean`: Σ_A d·y / Σ_A d with d = w/π, the Hájek mean of a probability sample, or the cluster-mass mean of
 * k-means anchors (tinyBenchmarks calls that one "IRT").
 * @returns a score in [0,1]
 * @see Hájek (1971); Maia Polo et al. (2024), tinyBenchmarks
 */
export function anchorMean({ mass, scores }: AnsweredSample): number {
  let sum = 0;
  for (let j = 0; j < scores.length; j++) sum += mass[j]! * scores[j]!;
  return sum;
}

import { bernoulliVariance, studentTQuantile, type SamplingVariance } from "anchoreval/core";

/**
 * The variance, relative to the one that is stated, at which Wilson's 95 % interval about a score would just hold the
 * truth: it holds S where (ŝ − S)² ≤ t²·S(1−S)·V/b, b the Bernoulli variance that the effective size is of, so it needs
 * r²V with r² = (ŝ − S)²·b/(t²·S(1−S)·V).
 * @param score - ŝ and S as fractions
 * @returns r²; 0 where the interval can't miss, Infinity where nothing was stated
 */
export function neededVariance(score: number, truth: number, sampling: SamplingVariance | null): number {
  const square = (score - truth) ** 2;
  if (square < 1e-24) return 0;
  if (sampling === null || sampling.variance === 0) return Infinity;
  const { variance, degrees, answers, right } = sampling;
  if ((truth === 0 && right === 0) || (truth === 1 && right === answers)) return 0; // never ruled out
  const t = studentTQuantile(0.975, degrees);
  return (square * bernoulliVariance(score, answers)) / (t ** 2 * truth * (1 - truth) * variance);
}

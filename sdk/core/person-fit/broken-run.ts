/** Chance of a right answer in a run that fails: a stray match. */
const STRAY = 0.01;

/**
 * Log-likelihood ratio of a run that fails everywhere against the weakest source model, in nats:
 *
 * n·(ŷ·log(ε/s) + (1−ŷ)·log((1−ε)/(1−s))),  ε = .01,
 *
 * with ŷ the mean of n answers and s that model's full score, at least ε. Above 0 the answers are better explained by a
 * harness that fails (no answer found in the output, a wrong template) than by the weakest model known; never where a
 * source model's own score is 0.
 * @param score - mean of the answers, in [0,1]
 * @param answers - n
 * @param worst - lowest full score of the source models, in [0,1]
 * @returns in nats, of either sign
 * @example brokenRun(0, 100, 0.2) // ≈ 21.3
 */
export function brokenRun(score: number, answers: number, worst: number): number {
  const weakest = Math.min(1 - STRAY, Math.max(STRAY, worst));
  return answers * (score * Math.log(STRAY / weakest) + (1 - score) * Math.log((1 - STRAY) / (1 - weakest)));
}

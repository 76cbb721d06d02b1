import type { FullScores } from "../prepare/full-scores.ts";

/**
 * How strong every model is over some scenarios: the mean of its full scores, each less the models' mean and in units of
 * their standard deviation, over the scenarios that it has. By one scenario the order is that of the scores.
 * @returns one a model; NaN for a model without any score
 */
export function strength(scenarios: readonly Pick<FullScores, "score">[]): Float64Array {
  const standard = scenarios.map(({ score }) => {
    const known = score.filter((own) => !Number.isNaN(own));
    const mean = known.reduce((sum, own) => sum + own, 0) / known.length;
    const variance = known.reduce((sum, own) => sum + (own - mean) ** 2, 0) / known.length;
    return score.map((own) => (own - mean) / Math.sqrt(Math.max(variance, 1e-12)));
  });
  return scenarios[0]!.score.map((_, m) => {
    const own = standard.flatMap((scores) => (Number.isNaN(scores[m]!) ? [] : [scores[m]!]));
    return own.reduce((sum, score) => sum + score, 0) / own.length;
  });
}

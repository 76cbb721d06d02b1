import { normalCdf } from "../numeric/normal.ts";

/** Where a model's full score lies against those of the source models. */
export type ScoreRange = "inside" | "edge" | "outside";

/**
 * Probability that the full score lies above the best and below the worst source model's, the estimate's error
 * being Gaussian: P_above = Φ((ŝ − best)/rmse), P_below = Φ((worst − ŝ)/rmse).
 * @param estimate - design-based estimate of the score (`p-irt-dr`)
 * @param sourceScores - the source models' full scores, ascending
 * @param rmse - the estimator's error on held-out source models, as a fraction
 */
export function outsideProbability(
  estimate: number,
  sourceScores: ArrayLike<number>,
  rmse: number,
): { above: number; below: number } {
  const scale = Math.max(rmse, 1e-9);
  return {
    above: normalCdf((estimate - sourceScores[sourceScores.length - 1]!) / scale),
    below: normalCdf((sourceScores[0]! - estimate) / scale),
  };
}

/** inside below .05, edge up to .5, outside above. */
export function scoreRange(probability: { above: number; below: number }): ScoreRange {
  const total = probability.above + probability.below;
  return total < 0.05 ? "inside" : total <= 0.5 ? "edge" : "outside";
}

/** Share of source models with a lower full score (ties count half), in [0,1]. */
export function percentile(score: number, sourceScores: ArrayLike<number>): number {
  let below = 0;
  for (let i = 0; i < sourceScores.length; i++)
    below += sourceScores[i]! < score ? 1 : sourceScores[i]! === score ? 0.5 : 0;
  return below / sourceScores.length;
}

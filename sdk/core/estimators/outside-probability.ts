import { normalCdf } from "../numeric/distributions.ts";

/**
 * Probability that the full score lies above the best and below the worst source model's, the estimate's error
 * being Gaussian: P_above = Φ((ŝ − best)/rmse), P_below = Φ((worst − ŝ)/rmse).
 * @param estimate - estimate of the score that holds outside of the range too
 * @param sourceScores - the source models' full scores, ascending
 * @param rmse - its root mean square error on held-out source models, as a fraction
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

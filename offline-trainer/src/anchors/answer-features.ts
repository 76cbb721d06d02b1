import type { CurveFeatures } from "./curve-features.ts";

/** Share of an item's variance that counts as its own: what the sample covariance of few models is shrunk by. */
const OWN_SHARE = 0.4;

/** Added to every item's noise: no item is known without asking. */
const LEAST_NOISE = 1e-6;

/**
 * The items' answers as those of a random model, by the source models' answers themselves: covariance .6·S + .4·diag S
 * with their sample covariance S.
 * @param column - the source models' scores on an item, none missing
 */
export function answerFeatures(column: (item: number) => Float64Array, count: number): CurveFeatures {
  const width = column(0).length;
  const degrees = Math.max(1, width - 1);
  const loadings = new Float64Array(count * width);
  const noise = new Float64Array(count).fill(LEAST_NOISE);
  for (let i = 0; i < count; i++) {
    const scores = column(i);
    const mean = scores.reduce((sum, score) => sum + score, 0) / width;
    scores.forEach((score, m) => {
      loadings[i * width + m] = (score - mean) * Math.sqrt((1 - OWN_SHARE) / degrees);
      noise[i]! += (OWN_SHARE * (score - mean) ** 2) / degrees;
    });
  }
  return { count, width, loadings, noise };
}

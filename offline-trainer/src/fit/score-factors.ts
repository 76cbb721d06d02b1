import { predictedScores, type AnchorFactors, type ItemBank, type MonotoneMap } from "anchoreval/core";
import { symmetricEigen } from "../calibrate/symmetric-eigen.ts";

/** Factors kept at most: more add nothing to held-out accuracy, and each costs a bundle four bytes an anchor. */
const MOST_FACTORS = 24;
/** Source abilities whose curves make the factors, at most. */
const MOST_CURVES = 64;
/** Least variance of a score that the factors leave open. */
const LEAST_NOISE = 1e-4;

export interface ScoreFactorsInput {
  readonly bank: ItemBank;
  readonly scoreMap: MonotoneMap | null;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Mean score of every item among the source models; NaN where none answered it. */
  readonly accuracy: Float64Array;
  /** Abilities of the source models, M×D row-major. */
  readonly theta: Float64Array;
  /** Variance of a score about its prediction p, relative to p(1−p): 1 of binary scores. */
  readonly dispersion: number;
}

/**
 * Factors of all items of a scenario, as the response model implies them: the covariance of the curves P_i(θ_m) over the
 * source models' abilities, by its leading principal components, and as noise what these leave of it and the mean of
 * φ·P(1−P). Means are those of the sources' answers. On held-out models this covariance predicts better than the answers'
 * own, shrunken or not: it has the noise of D parameters an item instead of M answers (docs/decisions/0014-gaussian.md).
 * @returns rows in the bank's order, in float32 as a bundle keeps them
 */
export function scoreFactors({
  bank,
  scoreMap,
  weights,
  accuracy,
  theta,
  dispersion,
}: ScoreFactorsInput): AnchorFactors {
  const { count, dims } = bank;
  const models = theta.length / dims;
  const size = Math.min(models, MOST_CURVES);
  const curves = Array.from({ length: size }, (_, k) => {
    const m = Math.floor(((k + 0.5) * models) / size);
    return predictedScores(theta.subarray(m * dims, (m + 1) * dims), bank, scoreMap);
  });
  const average = new Float64Array(count);
  const open = new Float64Array(count);
  for (const curve of curves)
    for (let i = 0; i < count; i++) {
      average[i]! += curve[i]! / size;
      open[i]! += (dispersion * curve[i]! * (1 - curve[i]!)) / size;
    }
  for (const curve of curves) for (let i = 0; i < count; i++) curve[i]! -= average[i]!;

  const gram = new Float64Array(size * size);
  for (let r = 0; r < size; r++)
    for (let c = 0; c <= r; c++) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += curves[r]![i]! * curves[c]![i]!;
      gram[r * size + c] = gram[c * size + r] = sum / size;
    }
  const { values, vectors } = symmetricEigen(gram, size);
  const rank = Math.max(1, Math.min(MOST_FACTORS, values.filter((value) => value > 1e-9 * values[0]!).length));
  const loadings = new Float32Array(count * rank);
  const noise = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let left = 0;
    for (let m = 0; m < size; m++) left += curves[m]![i]! ** 2 / size;
    for (let r = 0; r < rank; r++) {
      let loading = 0;
      for (let m = 0; m < size; m++) loading += vectors[r * size + m]! * curves[m]![i]!;
      loading /= Math.sqrt(size);
      loadings[i * rank + r] = loading;
      left -= loading * loading;
    }
    noise[i] = open[i]! + Math.max(0, left) + LEAST_NOISE;
  }
  const mean = Float32Array.from(accuracy, (own, i) => (Number.isNaN(own) ? average[i]! : own));
  const total = { mean: 0, loadings: new Float64Array(rank) };
  for (let i = 0; i < count; i++) {
    total.mean += weights[i]! * mean[i]!;
    for (let r = 0; r < rank; r++) total.loadings[r]! += weights[i]! * loadings[i * rank + r]!;
  }
  return { rank, mean, loadings, noise, total };
}

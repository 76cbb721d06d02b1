import { itemResponse, type ItemBank } from "anchoreval/core";

/**
 * How far beyond the sources' range samples are balanced: abilities count at μ + 2(θ − μ), μ their mean, so that models
 * stronger than any seen are balanced for too.
 */
export const ABILITY_SCALE = 2;

/** Abilities looked at, evenly by position among the sources: curves have few shapes, and a proposal costs in proportion. */
const MOST_ABILITIES = 24;

/** Added to every item's noise: no item is known without asking. */
const LEAST_NOISE = 1e-4;

/**
 * Items' answers as those of a random model: y_i = P̄_i + Σ_m z_im·f_m + e_i with independent f_m of variance 1 and e_i
 * of variance d_i.
 */
export interface CurveFeatures {
  readonly count: number;
  /** Loadings an item: abilities looked at. */
  readonly width: number;
  /** z, count×width, item-major: Σ_m z_im·z_jm is the covariance of two items' curves over the abilities. */
  readonly loadings: Float64Array;
  /** d > 0, mean P(1−P) over the abilities. */
  readonly noise: Float64Array;
}

/**
 * The items' response curves at the sources' abilities, their range widened, less their means.
 * @param abilities - the sources', M×D row-major
 */
export function curveFeatures(bank: ItemBank, abilities: Float64Array, scale = ABILITY_SCALE): CurveFeatures {
  const { count, dims } = bank;
  const points = widened(abilities, dims, scale);
  const width = points.length / dims;
  const loadings = new Float64Array(count * width);
  const noise = new Float64Array(count).fill(LEAST_NOISE);
  for (let m = 0; m < width; m++) {
    const theta = points.subarray(m * dims, (m + 1) * dims);
    for (let i = 0; i < count; i++) {
      const p = itemResponse(theta, bank, i);
      loadings[i * width + m] = p;
      noise[i]! += (p * (1 - p)) / width;
    }
  }
  for (let at = 0; at < loadings.length; at += width) {
    let mean = 0;
    for (let m = 0; m < width; m++) mean += loadings[at + m]! / width;
    for (let m = 0; m < width; m++) loadings[at + m] = (loadings[at + m]! - mean) / Math.sqrt(width);
  }
  return { count, width, loadings, noise };
}

/** Some of the abilities, each moved away from the mean of all. */
function widened(abilities: Float64Array, dims: number, scale: number): Float64Array {
  const models = abilities.length / dims;
  const mean = new Float64Array(dims);
  for (let k = 0; k < abilities.length; k++) mean[k % dims]! += abilities[k]! / models;
  const taken = Math.min(models, MOST_ABILITIES);
  return Float64Array.from({ length: taken * dims }, (_, at) => {
    const d = at % dims;
    const model = Math.floor((Math.floor(at / dims) * models) / taken);
    return mean[d]! + scale * (abilities[model * dims + d]! - mean[d]!);
  });
}

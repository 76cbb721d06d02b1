import { addGram } from "anchoreval/core";
import type { CurveFeatures } from "./curve-features.ts";

/**
 * Variance of the full score Σ w·y that the answers to a sample leave open under a Gaussian model of the items, the
 * kriging variance: uᵀ(I + Σ_A zzᵀ/d)⁻¹u + Σ_{i∉A} w²d with u = Σ_{i∉A} w·z. What the answered items show of f, and
 * that they themselves are known.
 * @param weights - item weights w, summing to 1
 * @returns a function of a sample's items, in squared score; it hardly allocates
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.1; Brus & Heuvelink (2007), Geoderma
 * 138, 86–95
 */
export function krigingVariance(
  { count, width, loadings, noise }: CurveFeatures,
  weights: Float64Array,
): (sample: ArrayLike<number>) => number {
  const total = new Float64Array(width);
  let totalNoise = 0;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < width; k++) total[k]! += weights[i]! * loadings[i * width + k]!;
    totalNoise += weights[i]! ** 2 * noise[i]!;
  }
  const certainty = noise.map((own) => 1 / own);
  const precision = new Float64Array(width * width);
  const open = new Float64Array(width);
  let rows = new Float64Array();
  let scales = new Float64Array();
  return (sample) => {
    const n = sample.length;
    if (scales.length < n) {
      rows = new Float64Array(n * width);
      scales = new Float64Array(n);
    }
    open.set(total);
    precision.fill(0);
    for (let r = 0; r < width; r++) precision[r * width + r] = 1;
    let openNoise = totalNoise;
    for (let j = 0; j < n; j++) {
      const i = sample[j]!;
      const own = weights[i]!;
      scales[j] = certainty[i]!;
      openNoise -= own * own * noise[i]!;
      for (let r = 0; r < width; r++) {
        const z = loadings[i * width + r]!;
        rows[j * width + r] = z;
        open[r]! -= own * z;
      }
    }
    addGram(precision, width, rows, scales, n);
    return squaredLength(precision, open, width) + Math.max(0, openNoise);
  };
}

/** uᵀP⁻¹u of a positive definite P by Cholesky's factor L, as |L⁻¹u|²; P's lower triangle and u are overwritten. */
function squaredLength(precision: Float64Array, u: Float64Array, width: number): number {
  let square = 0;
  for (let r = 0; r < width; r++) {
    const row = r * width;
    let value = u[r]!;
    for (let c = 0; c <= r; c++) {
      let sum = precision[row + c]!;
      const other = c * width;
      for (let k = 0; k < c; k++) sum -= precision[row + k]! * precision[other + k]!;
      if (c < r) {
        precision[row + c] = sum / precision[other + c]!;
        value -= precision[row + c]! * u[c]!;
      } else precision[row + c] = Math.sqrt(sum);
    }
    u[r] = value / precision[row + r]!;
    square += u[r]! ** 2;
  }
  return square;
}

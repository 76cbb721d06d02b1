import { cholesky, choleskySolve } from "anchoreval/core";
import type { Calibration } from "../calibrate/calibrate.ts";
import { symmetricEigen } from "../numeric/eigen.ts";
import { probabilities, type FittedAnswers } from "./fitted-answers.ts";

/** Share of the mean precision that stands in for what few items can't tell. */
const RIDGE = 1e-6;

/**
 * Precision matrix Λ of the prior under which discriminations were fitted, in the axes that they have now. A calibration
 * is rotated after it has ended, and its scales are those of the axes before. At its optimum every item has
 * Σ_m (y − P)·θ = Λ·(a − μ), so that Λ is the regression of the left on the right over items.
 * @returns D×D, row-major, symmetric; for one dimension 1/σ_a² as learned
 */
export function discriminationPrecision(answers: FittedAnswers<Calibration>): Float64Array {
  const { models, items, signs, calibration } = answers;
  const { theta, a, dims, scales } = calibration;
  const mean = scales.aVariance.reduce((sum, variance) => sum + 1 / variance, 0) / dims;
  const out = new Float64Array(dims * dims);
  if (dims === 1) return out.fill(mean);
  // Unknowns of each row of Λ: D slopes on a, and the intercept −Λμ.
  const width = dims + 1;
  const moments = new Float64Array(width * width);
  const products = Array.from({ length: dims }, () => new Float64Array(width));
  const p = new Float64Array(models);
  const x = new Float64Array(width).fill(1);
  const slope = new Float64Array(dims);
  for (let i = 0; i < items; i++) {
    probabilities(answers, i, p);
    slope.fill(0);
    for (let m = 0; m < models; m++) {
      const sign = signs[i * models + m]!;
      if (sign === 0) continue;
      const residual = (sign > 0 ? 1 : 0) - p[m]!;
      for (let d = 0; d < dims; d++) slope[d]! += residual * theta[m * dims + d]!;
    }
    for (let d = 0; d < dims; d++) x[d] = a[i * dims + d]!;
    for (let r = 0; r < width; r++) for (let c = 0; c < width; c++) moments[r * width + c]! += x[r]! * x[c]!;
    products.forEach((row, d) => {
      for (let c = 0; c < width; c++) row[c]! += slope[d]! * x[c]!;
    });
  }
  const ridge = (RIDGE * trace(moments, width)) / width;
  for (let d = 0; d < width; d++) moments[d * width + d]! += ridge;
  products.forEach((row, d) => (row[d]! += ridge * mean));
  const factor = cholesky(moments, width)!;
  const rows = products.map((row) => choleskySolve(factor, width, row));
  for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) out[r * dims + c] = (rows[r]![c]! + rows[c]![r]!) / 2;
  return withinScales(out, scales.aVariance);
}

/** A rotation keeps eigenvalues: those of Λ are the learned precisions, and lie between the least and the largest. */
function withinScales(matrix: Float64Array, variances: Float64Array): Float64Array {
  const dims = variances.length;
  const [least, most] = [1 / Math.max(...variances), 1 / Math.min(...variances)];
  const { values, vectors } = symmetricEigen(matrix, dims);
  const out = new Float64Array(dims * dims);
  values.forEach((value, k) => {
    const kept = Math.min(most, Math.max(least, value));
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++) out[r * dims + c]! += kept * vectors[k * dims + r]! * vectors[k * dims + c]!;
  });
  return out;
}

function trace(matrix: Float64Array, size: number): number {
  let sum = 0;
  for (let d = 0; d < size; d++) sum += matrix[d * size + d]!;
  return sum;
}

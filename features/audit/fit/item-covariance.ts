import { addGram, cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import type { Scales } from "../../../offline-trainer/src/calibrate/scales.ts";
import { symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";
import { type FittedAnswers, gram, type ItemAtFit, leverages, probabilities, symmetricForm } from "./fitted-answers.ts";

/**
 * Laplace's covariance of an item's parameters (a_1 … a_D, b): A⁻¹ with A = information + Λ, the inverse of the item's
 * block of the penalised information, abilities taken as known; and what their uncertainty adds to first order,
 * A⁻¹·(Σ_m PQ·h·x·xᵀ)·A⁻¹ with h their leverage. The uncertainty shared by all items, of the scale's origin, unit
 * and axes, is left out.
 * @param precision - Λ of the parameters' prior ({@link parameterPrecision})
 * @returns (D+1)×(D+1), row-major
 * @see Tierney & Kadane (1986), JASA 81, 82–86; Murphy & Topel (1985), Journal of Business & Economic Statistics 3, 370–379
 */
export function itemCovariance(
  { calibration, design }: FittedAnswers,
  { p, leverage, information }: ItemAtFit,
  precision: Float64Array,
): Float64Array {
  const size = calibration.dims + 1;
  const penalised = information.map((value, k) => value + precision[k]!);
  const inverse = choleskyInverse(cholesky(penalised, size)!, size);
  const shares = leverage.map((value, m) => value * p[m]! * (1 - p[m]!));
  const carried = gram(design, shares, size);
  return addProduct(inverse.slice(), inverse, addProduct(new Float64Array(size * size), carried, inverse));
}

/** Adds left·right, all row-major squares. @returns the sum */
function addProduct(sum: Float64Array, left: Float64Array, right: Float64Array): Float64Array {
  const size = Math.sqrt(sum.length);
  for (let r = 0; r < size; r++)
    for (let c = 0; c < size; c++)
      for (let k = 0; k < size; k++) sum[r * size + c]! += left[r * size + k]! * right[k * size + c]!;
  return sum;
}

/** Λ of (a, b). @param scales - of the calibration */
export function parameterPrecision(answers: FittedAnswers, { aVariance, bVariance }: Scales): Float64Array {
  const discriminations = discriminationPrecision(answers, aVariance);
  const dims = aVariance.length;
  const size = dims + 1;
  const out = new Float64Array(size * size);
  for (let r = 0; r < dims; r++) out.set(discriminations.subarray(r * dims, (r + 1) * dims), r * size);
  out[size * size - 1] = 1 / bVariance;
  return out;
}

/**
 * Leverage of an item's own parameters on each model's answer, PQ·xᵀ·Cov·x; 0 where the answer is missing.
 * @param covariance - of {@link itemCovariance}
 */
export function itemLeverage(
  { calibration, design }: FittedAnswers,
  { weights }: ItemAtFit,
  covariance: Float64Array,
): Float64Array {
  const size = calibration.dims + 1;
  return leverages(weights, (m) => symmetricForm(covariance, 0, design, m * size, size));
}

/** Weight of the mean precision relative to the moments, which stabilises the estimate from few items. */
const RIDGE = 1e-6;

/**
 * Precision matrix Λ of the prior under which discriminations were fitted, in the axes that they have now. A calibration
 * is rotated after it has ended, and its scales are those of the axes before. At its optimum every item has
 * Σ_m (y − P)·θ = Λ·(a − μ), so that Λ is the regression of the left on the right over items.
 * @param aVariance - learned, of every dimension
 * @returns D×D, row-major, symmetric; for one dimension 1/σ_a² as learned
 */
export function discriminationPrecision(answers: FittedAnswers, aVariance: Float64Array): Float64Array {
  const { models, items, signs, calibration } = answers;
  const { theta, a, dims } = calibration;
  const mean = aVariance.reduce((sum, variance) => sum + 1 / variance, 0) / dims;
  const out = new Float64Array(dims * dims);
  if (dims === 1) return out.fill(mean);
  // Unknowns of each row of Λ: D slopes on a, and the intercept −Λμ.
  const width = dims + 1;
  const moments = new Float64Array(width * width);
  const products = Array.from({ length: dims }, () => new Float64Array(width));
  const p = new Float64Array(models);
  const x = new Float64Array(width).fill(1);
  const one = Float64Array.of(1);
  const slope = new Float64Array(dims);
  for (let i = 0; i < items; i++) {
    probabilities(answers, i, p);
    slope.fill(0);
    for (let m = 0; m < models; m++) {
      const sign = signs[i * models + m]!;
      if (sign === 0) continue;
      const residual = Number(sign > 0) - p[m]!;
      for (let d = 0; d < dims; d++) slope[d]! += residual * theta[m * dims + d]!;
    }
    x.set(a.subarray(i * dims, (i + 1) * dims));
    addGram(moments, width, x, one, 1);
    products.forEach((row, d) => x.forEach((value, c) => (row[c]! += slope[d]! * value)));
  }
  let trace = 0;
  for (let d = 0; d < width; d++) trace += moments[d * width + d]!;
  const ridge = (RIDGE * trace) / width;
  for (let d = 0; d < width; d++) moments[d * width + d]! += ridge;
  products.forEach((row, d) => (row[d]! += ridge * mean));
  const factor = cholesky(moments, width)!;
  const rows = products.map((row) => choleskySolve(factor, width, row));
  for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) out[r * dims + c] = (rows[r]![c]! + rows[c]![r]!) / 2;
  return withinScales(out, aVariance);
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

import { cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import type { Calibration } from "../../calibrate/calibrate.ts";
import { symmetricEigen } from "../../numeric/eigen.ts";
import { type FittedAnswers, type ItemAtFit, MOST_LEVERAGE, probabilities } from "./fitted-answers.ts";

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
  { models, calibration }: FittedAnswers,
  { signs, p, leverage, information }: ItemAtFit,
  precision: Float64Array,
): Float64Array {
  const { theta, dims } = calibration;
  const size = dims + 1;
  const inverse = choleskyInverse(
    cholesky(
      information.map((value, k) => value + precision[k]!),
      size,
    )!,
    size,
  );
  const out = Float64Array.from(inverse);
  const carried = new Float64Array(size * size);
  const x = new Float64Array(size).fill(-1);
  const u = new Float64Array(size);
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    const weight = leverage[m]! * p[m]! * (1 - p[m]!);
    for (let d = 0; d < dims; d++) x[d] = theta[m * dims + d]!;
    for (let r = 0; r < size; r++) {
      const product = weight * x[r]!;
      for (let c = 0, k = r * size; c <= r; c++, k++) carried[k]! += product * x[c]!;
    }
  }
  for (let r = 0; r < size; r++) for (let c = 0; c < r; c++) carried[c * size + r] = carried[r * size + c]!;
  for (let c = 0; c < size; c++) {
    // Column c of carried·A⁻¹, then A⁻¹ times it.
    for (let r = 0; r < size; r++) {
      u[r] = 0;
      for (let k = 0; k < size; k++) u[r]! += carried[r * size + k]! * inverse[k * size + c]!;
    }
    for (let r = 0; r < size; r++) for (let k = 0; k < size; k++) out[r * size + c]! += inverse[r * size + k]! * u[k]!;
  }
  return out;
}

/** Λ of (a, b) from that of the discriminations and b's variance. */
export function parameterPrecision(discriminations: Float64Array, bVariance: number): Float64Array {
  const dims = Math.sqrt(discriminations.length);
  const size = dims + 1;
  const out = new Float64Array(size * size);
  for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) out[r * size + c] = discriminations[r * dims + c]!;
  out[size * size - 1] = 1 / bVariance;
  return out;
}

/**
 * Leverage of an item's own parameters on each model's answer, PQ·xᵀ·Cov·x, at most {@link MOST_LEVERAGE}; 0 where the
 * answer is missing.
 * @param covariance - of {@link itemCovariance}
 */
export function itemLeverage(
  { models, calibration }: FittedAnswers,
  { signs, p }: ItemAtFit,
  covariance: Float64Array,
): Float64Array {
  const { theta, dims } = calibration;
  const size = dims + 1;
  const x = new Float64Array(size).fill(-1);
  const out = new Float64Array(models);
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    for (let d = 0; d < dims; d++) x[d] = theta[m * dims + d]!;
    let form = 0;
    for (let r = 0; r < size; r++) {
      let row = 0;
      for (let c = 0; c < r; c++) row += covariance[r * size + c]! * x[c]!;
      form += (2 * row + covariance[r * size + r]! * x[r]!) * x[r]!;
    }
    out[m] = Math.min(MOST_LEVERAGE, p[m]! * (1 - p[m]!) * form);
  }
  return out;
}

/** Weight of the mean precision relative to the moments, which stabilises the estimate from few items. */
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

import { cholesky, choleskyInverse } from "anchoreval/core";
import { MOST_LEVERAGE } from "./ability-covariances.ts";
import type { FittedAnswers } from "./fitted-answers.ts";
import type { ItemAtFit } from "./item-at-fit.ts";

/**
 * Laplace's covariance of an item's parameters (a_1 … a_D, b): A⁻¹ with A = information + Λ, the inverse of the item's
 * block of the penalised information, abilities taken as known; and what their uncertainty adds to first order,
 * A⁻¹·(Σ_m PQ·h·x·xᵀ)·A⁻¹ with h their leverage. What all items share, the scale's own origin, unit and axes, is left
 * out: it moves all of them together.
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

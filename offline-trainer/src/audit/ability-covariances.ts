import { cholesky, choleskyInverse } from "anchoreval/core";
import { probabilities, type FittedAnswers } from "./fitted-answers.ts";

/**
 * Posterior covariance of every model's abilities under the prior N(0, I), items taken as known:
 * (I + Σ_i P·Q·a·aᵀ)⁻¹ over the items that it answered, by the expected information.
 * @returns M×D×D, row-major
 * @see Segall (1996), Psychometrika 61, 331–354
 */
export function abilityCovariances(answers: FittedAnswers): Float64Array {
  const { models, items, signs, calibration } = answers;
  const { a, dims } = calibration;
  const size = dims * dims;
  const precision = new Float64Array(models * size);
  for (let m = 0; m < models; m++) for (let d = 0; d < dims; d++) precision[m * size + d * dims + d] = 1;
  const p = new Float64Array(models);
  for (let i = 0; i < items; i++) {
    probabilities(answers, i, p);
    const row = a.subarray(i * dims, (i + 1) * dims);
    for (let m = 0; m < models; m++) {
      if (signs[i * models + m] === 0) continue;
      const weight = p[m]! * (1 - p[m]!);
      for (let r = 0; r < dims; r++) {
        const product = weight * row[r]!;
        for (let c = 0, k = m * size + r * dims; c <= r; c++, k++) precision[k]! += product * row[c]!;
      }
    }
  }
  const out = new Float64Array(models * size);
  for (let m = 0; m < models; m++)
    out.set(choleskyInverse(cholesky(precision.subarray(m * size, (m + 1) * size), dims)!, dims), m * size);
  return out;
}

/** An answer that decides its own ability leaves no residual: beyond this its leverage says no more. */
export const MOST_LEVERAGE = 0.9;

/**
 * Leverage of each model's abilities on its own answer to an item, h = PQ·aᵀ·Cov(θ)·a: by which share of the variance
 * the residual is smaller than the error, since the abilities follow the answer. 0 where the answer is missing.
 * @param p - probabilities of the item, length M
 * @param covariances - of {@link abilityCovariances}
 */
export function abilityLeverage(
  { models, signs, calibration }: FittedAnswers,
  item: number,
  p: Float64Array,
  covariances: Float64Array,
): Float64Array {
  const { a, dims } = calibration;
  const out = new Float64Array(models);
  for (let m = 0; m < models; m++) {
    if (signs[item * models + m] === 0) continue;
    let form = 0;
    for (let r = 0; r < dims; r++) {
      const at = (m * dims + r) * dims;
      let row = 0;
      for (let c = 0; c < r; c++) row += covariances[at + c]! * a[item * dims + c]!;
      form += (2 * row + covariances[at + r]! * a[item * dims + r]!) * a[item * dims + r]!;
    }
    out[m] = Math.min(MOST_LEVERAGE, p[m]! * (1 - p[m]!) * form);
  }
  return out;
}

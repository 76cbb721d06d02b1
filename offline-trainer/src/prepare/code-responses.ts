import type { CodedResponses } from "../calibrate/types.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/**
 * Codes the responses of some models for calibration: +1 above the threshold, −1 otherwise, 0 where missing.
 * @param thresholds - per column; scores above it count as right
 */
export function codeResponses(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  thresholds: Float64Array,
): CodedResponses {
  const items = matrix.items.length;
  const signs = new Int8Array(rows.length * items);
  for (let k = 0; k < rows.length; k++) {
    const from = rows[k]! * items;
    for (let i = 0; i < items; i++) {
      if (matrix.observed !== null && matrix.observed[from + i] === 0) continue;
      signs[k * items + i] = matrix.scores[from + i]! > thresholds[i]! ? 1 : -1;
    }
  }
  return { subjects: rows.length, items, signs };
}

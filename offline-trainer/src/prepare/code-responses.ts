import type { CodedResponses, GradedResponses, Link } from "../calibrate/types.ts";
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

/**
 * Scores of some models for calibration by a link: each observed cell with weight 1.
 * @param rows - the models
 */
export function gradeResponses(matrix: ResponseMatrix, rows: ArrayLike<number>, link: Link): GradedResponses {
  const items = matrix.items.length;
  const scores = new Float32Array(rows.length * items);
  const weights = new Float32Array(rows.length * items);
  for (let k = 0; k < rows.length; k++) {
    const from = rows[k]! * items;
    for (let i = 0; i < items; i++) {
      if (matrix.observed !== null && matrix.observed[from + i] === 0) continue;
      scores[k * items + i] = matrix.scores[from + i]!;
      weights[k * items + i] = 1;
    }
  }
  return { subjects: rows.length, items, scores, weights, link };
}

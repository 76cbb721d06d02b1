import { eachScore, isBinary, type ResponseMatrix } from "./response-matrix.ts";

/** Coded responses of a calibration, model by model: `signs[m·N + i]` is +1 for right, −1 for wrong, 0 for missing. */
export interface CodedResponses {
  /** Models M. */
  readonly subjects: number;
  /** Items N. */
  readonly items: number;
  readonly signs: Int8Array;
}

/**
 * Codes the responses of some models for calibration: +1 above the threshold, −1 otherwise, 0 where missing.
 * @param threshold - scores above it count as right; null where every score is 0 or 1
 */
export function codeResponses(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  threshold: number | null,
): CodedResponses {
  const items = matrix.items.length;
  const cut = threshold ?? 0.5;
  const signs = new Int8Array(rows.length * items);
  eachScore(matrix, rows, (score, k, i) => (signs[k * items + i] = score > cut ? 1 : -1));
  return { subjects: rows.length, items, signs };
}

/** Thresholds tried: 100 even steps from .01 to .99, as in the notebooks of Maia Polo et al. (2024). */
const CANDIDATES = Array.from({ length: 100 }, (_, k) => 0.01 + (0.98 * k) / 99);

/** Responses of some models for calibration, cut at the threshold that these models choose. */
export function binarizeResponses(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
): { threshold: number | null; responses: CodedResponses } {
  const threshold = binarizingThreshold(matrix, rows);
  return { threshold, responses: codeResponses(matrix, rows, threshold) };
}

/**
 * The threshold c at which 1[y > c] keeps the models' mean scores best: argmin_c mean_m |mean_i 1[y_mi > c] − mean_i y_mi|.
 * @returns null where every score is 0 or 1
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
export function binarizingThreshold(matrix: ResponseMatrix, rows: ArrayLike<number>): number | null {
  if (isBinary(matrix)) return null;
  const count = matrix.items.length;
  const gaps = new Float64Array(CANDIDATES.length);
  const above = new Float64Array(CANDIDATES.length + 1);
  let binary = true;
  for (let k = 0; k < rows.length; k++) {
    above.fill(0);
    let sum = 0;
    let seen = 0;
    for (let i = 0; i < count; i++) {
      const at = rows[k]! * matrix.stride + i;
      if (matrix.observed !== null && matrix.observed[at] === 0) continue;
      const score = matrix.scores[at]!;
      if (score !== 0 && score !== 1) binary = false;
      seen++;
      sum += score;
      // The score exceeds all candidates below its own place.
      above[CANDIDATES.findLastIndex((candidate) => score > candidate) + 1]! += 1;
    }
    if (seen === 0) continue;
    let exceeding = 0;
    for (let c = CANDIDATES.length - 1; c >= 0; c--) {
      exceeding += above[c + 1]!;
      gaps[c] = gaps[c]! + Math.abs(exceeding / seen - sum / seen);
    }
  }
  if (binary) return null;
  let best = 0;
  for (let c = 1; c < gaps.length; c++) if (gaps[c]! < gaps[best]!) best = c;
  return CANDIDATES[best]!;
}

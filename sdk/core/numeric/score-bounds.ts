/** How far beyond a bound of [0,1] a score may lie and be the bound: means of many terms miss it by some 1e-16 a term. */
const TOLERANCE = 1e-9;

/**
 * A score in [0,1], after the scale that it was given on: one within 1e-9 of a bound, as sums of floating-point numbers
 * end, is the bound.
 * @returns NaN for what is no score: beyond the bounds, NaN, infinite; never −0
 * @example scoreOnScale(1.0000000000000002) // 1
 * @example scoreOnScale(1.01) // NaN
 */
export function scoreOnScale(score: number): number {
  if (!(score >= -TOLERANCE && score <= 1 + TOLERANCE)) return NaN;
  if (score < TOLERANCE) return 0;
  return score > 1 - TOLERANCE ? 1 : score;
}

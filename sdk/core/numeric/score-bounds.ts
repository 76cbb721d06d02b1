/**
 * How far beyond a bound of [0,1] a score may lie and be the bound: means of many terms miss it by some 1e-16 a term of
 * float64.
 */
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

/**
 * One answer of a program's: a score in [0,1] ({@link scoreOnScale}), true and false for 1 and 0, null for none; or the rule
 * that it breaks.
 */
export function readScore(score: unknown): number | null | { code: string; message: string } {
  if (score === null) return null;
  if (typeof score === "boolean") return Number(score);
  if (typeof score !== "number")
    return { code: "invalid_type", message: `a score must be in [0,1], got ${typeof score}` };
  if (Number.isNaN(score))
    return { code: "not_a_number", message: "a score must be in [0,1], got NaN; null means no answer" };
  const onScale = scoreOnScale(score);
  return Number.isNaN(onScale) ? { code: "out_of_range", message: `a score must be in [0,1], got ${score}` } : onScale;
}

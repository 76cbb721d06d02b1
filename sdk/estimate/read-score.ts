import { scoreOnScale } from "../core/numeric/score-bounds.ts";

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

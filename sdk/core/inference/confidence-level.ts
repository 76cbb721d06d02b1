import { AnchorEvalError } from "../errors.ts";

/** Level of intervals that nobody asked another of. */
const DEFAULT_LEVEL = 0.95;

/**
 * A confidence level as it was asked for.
 * @returns 0.95 where none was
 * @throws AnchorEvalError `invalid_option` outside (0,1)
 */
export function confidenceLevel(level: number | undefined): number {
  if (level === undefined) return DEFAULT_LEVEL;
  if (!(level > 0 && level < 1))
    throw new AnchorEvalError("invalid_option", `level is a confidence level in (0,1), got ${level}`);
  return level;
}

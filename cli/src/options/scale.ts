import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import { type OptionReader, type OptionSpecs, option, flag, invalidOption } from "../command.ts";

export const SCALE_OPTIONS = {
  "score-range": option("LO,HI", "bounds of the scores (default 0,1)"),
  flip: flag("lower scores are better"),
} as const satisfies OptionSpecs;

/**
 * The scale of scores: s is read as (s − LO)/(HI − LO), and with --flip as 1 less that.
 * @throws AnchorEvalError `invalid_option` for other than two bounds
 * @example readScale(options) // { scoreRange: [0, 100], flip: true }
 */
export function readScale(options: OptionReader): ScaleOptions {
  const range = options.numbers("score-range", {}, null);
  if (range !== null && range.length !== 2)
    throw invalidOption(`--score-range must be two numbers, LO,HI; got ${options.text("score-range")!}`);
  return {
    ...(range && { scoreRange: [range[0]!, range[1]!] as const }),
    ...(options.flag("flip") && { flip: true }),
  };
}

/**
 * An option in points, as a fraction.
 * @param rule - in points; unless it says otherwise less than 0.1 is refused, for whoever gave a fraction
 * @example readPoints(options, "half-width") // 0.05 for --half-width 5
 */
export function readPoints(options: OptionReader, name: string, rule = { min: 0.1, max: 100 }): number | undefined {
  const value = options.number(name, rule, undefined);
  return value === undefined ? undefined : value / 100;
}

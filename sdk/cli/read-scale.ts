import { AnchorEvalError } from "../core/errors.ts";
import type { ScaleOptions } from "../tables/score-reader.ts";
import type { OptionReader } from "./command.ts";

/** The options `--score-range LO,HI` and `--flip`. */
export function readScale(options: OptionReader): ScaleOptions {
  const range = options.numbers("score-range", {}, null);
  if (range !== null && range.length !== 2)
    throw new AnchorEvalError("invalid_option", "--score-range is two numbers: LO,HI");
  return {
    ...(range && { scoreRange: [range[0]!, range[1]!] as const }),
    ...(options.flag("flip") && { flip: true }),
  };
}

import { invalidOption } from "anchoreval/internal/core/errors";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import { type OptionReader, type OptionSpecs, option, readNumber } from "../program/command.ts";

export const SCALE_OPTIONS = {
  "score-range": option("WORST,BEST", "bounds of the scores, as 10,0 where lower is better (default 0,1)"),
} as const satisfies OptionSpecs;

/**
 * The scale of scores: s is read as (s − WORST)/(BEST − WORST).
 * @param name - of the option
 * @example readScale(options) // { scoreRange: [100, 0] }
 */
export function readScale(options: OptionReader, name = "score-range"): ScaleOptions {
  const range = options.numbers(name, {}, null);
  if (range !== null && range.length !== 2)
    throw invalidOption(`--${name} must be two numbers, WORST,BEST; got ${options.text(name)!}`);
  return range === null ? {} : { scoreRange: [range[0]!, range[1]!] };
}

/** The values that an option in points allows, in points. */
interface PointsRule {
  /** @default 0.1, as results have one decimal */
  readonly min?: number;
  /** @default 100 */
  readonly max?: number;
  /** A score, not a difference: 1 could be all items right, too. @default false */
  readonly isScore?: boolean;
}

/**
 * An option in points, as a fraction. What reads as a fraction is refused, as a gate at 0.83 points would let all models pass:
 * whoever means less than one point writes the unit, `0.5pt` or `0.5%`.
 * @example readPoints(options, "half-width") // 0.05 for --half-width 5
 */
export function readPoints(options: OptionReader, name: string, rule: PointsRule = {}): number | undefined {
  const { min = 0.1, max = 100, isScore = false } = rule;
  const text = options.text(name);
  if (text === undefined) return undefined;
  const figure = text.replace(/\s*(pt|%)\s*$/, "");
  const value = readNumber(name, figure, { min: 0, max });
  if (figure === text && value > 0 && (value < 1 || (isScore && value === 1))) {
    const whole = Number((100 * value).toPrecision(12));
    throw invalidOption(
      `--${name} is in points, and ${text} reads as a fraction: write ${whole} for ${whole} points of 100, or ${text}pt if you mean ${value < 1 ? "less than one point" : "one point"}`,
    );
  }
  return readNumber(name, figure, { min, max }) / 100;
}

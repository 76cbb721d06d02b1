import { invalidOption } from "../core/errors.ts";
import { scoreOnScale } from "../core/numeric/score-bounds.ts";
import { jsonKind, quoted } from "./data-issues.ts";

/** How scores are read. */
export type ScoreOptions = ScaleOptions;

/** The rule that a score breaks. */
export interface ScoreProblem {
  readonly code: "not_a_number" | "out_of_range";
  readonly message: string;
}

/**
 * Reads the scores of one file: a number in [0,1] ({@link scoreOnScale}), or NaN where there is none (an empty cell, null,
 * a NaN). Text is read as pandas, R and spreadsheets write it: True and FALSE, NA, NaN, None and the like for none, decimals
 * by a point or, in the whole file, by a comma.
 */
export interface ScoreReader {
  fromText(cell: string): number | ScoreProblem;
  fromJson(value: unknown): number | ScoreProblem;
}

/** Decimal numbers as programs write them; not `0x1`, `Infinity` and other text that `Number` takes. */
const DECIMAL = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?$/;
/** A comma that groups thousands where it isn't a decimal one. */
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const TRUTH = /^(?:(true)|false)$/i;
const MISSING = /^(?:#?n\/?a|<na>|nan|null|none)$/i;

/** Whether a cell is a word that programs write for what is missing, such as NA, NaN or None. */
export function isMissingWord(cell: string): boolean {
  return MISSING.test(cell.trim());
}

/** The number that a cell has, its decimals by a point or a comma; NaN where it is none, or not a finite one. */
export function decimalNumber(text: string): number {
  const value = DECIMAL.test(text) ? Number(text.replace(",", ".")) : NaN;
  return Number.isFinite(value) ? value : NaN;
}

/**
 * Makes a reader of scores.
 * @throws AnchorEvalError `invalid_option` for a range that is none
 * @example scoreReader({ scoreRange: [0, 100] }).fromText("62.5") // 0.625
 */
export function scoreReader(options: ScoreOptions = {}): ScoreReader {
  const scale = scoreScale(options);
  const [worst, best] = options.scoreRange ?? [0, 1];
  const [low, high] = [Math.min(worst, best), Math.max(worst, best)];
  const plain = isUnitScale(options) && !isLowerBetter(options);
  /** Of the scores so far, to tell which scale they may be on. */
  let [lowest, highest] = [Infinity, -Infinity];
  const hint = (): string =>
    options.scoreRange === undefined
      ? `; for other bounded scores give \`scoreRange\` worst,best${likelyScales(lowest, highest)}`
      : "";

  const scaled = (score: number): number | ScoreProblem => {
    const onScale = scoreOnScale(scale(score));
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
    return Number.isNaN(onScale)
      ? { code: "out_of_range", message: `a score must be in [${low},${high}], got ${score}${hint()}` }
      : onScale;
  };
  const truth = (value: boolean): number | ScoreProblem => {
    if (isUnitScale(options)) return scaled(Number(value));
    const message = `true and false are 1 and 0, which isn't a scale of ${low} to ${high}: write numbers`;
    return { code: "not_a_number", message };
  };
  /** The decimal mark of the file, and the cell that told it. */
  let mark: { readonly sign: string; readonly cell: string } | undefined;
  const markProblem = (cell: string): ScoreProblem | null => {
    const sign = cell.includes(",") ? "," : cell.includes(".") ? "." : null;
    if (sign === null) return null;
    mark ??= { sign, cell };
    const message =
      mark.sign !== sign
        ? `${quoted(cell)} has a decimal ${sign === "," ? "comma" : "point"}, and ${quoted(mark.cell)} before it the other mark: write all scores with one`
        : sign === "," && high >= 1000 && THOUSANDS.test(cell)
          ? `${quoted(cell)} may be a thousand or a decimal: write scores with a decimal point and without separators of thousands`
          : null;
    return message === null ? null : { code: "not_a_number", message };
  };
  return {
    fromText: (cell) => {
      if (cell === "") return NaN;
      if (plain && cell === "0") {
        if (lowest > 0) lowest = 0;
        return 0;
      }
      if (plain && cell === "1") return 1;
      const text = cell.trim();
      if (DECIMAL.test(text)) return markProblem(text) ?? scaled(Number(text.replace(",", ".")));
      const word = TRUTH.exec(text);
      if (word) return truth(word[1] !== undefined);
      if (MISSING.test(text)) return NaN;
      return {
        code: "not_a_number",
        message: `a score must be a number, got ${quoted(cell)}; an empty cell means no score`,
      };
    },
    fromJson: (value) => {
      if (value === null || Number.isNaN(value)) return NaN; // Parquet has both
      if (typeof value === "number") return scaled(value);
      if (typeof value === "boolean") return truth(value);
      return { code: "not_a_number", message: `a score must be a number, got ${jsonKind(value)}; null means no score` };
    },
  };
}

/** Scales of scores that are common beside [0,1]: correlations, grades, percent. */
const COMMON_SCALES = [[-1, 1], [1, 5], [0, 5], [1, 10], [0, 10], [0, 100]] as const; // prettier-ignore

/** Those that the scores so far may be on, the narrowest first: two at most. */
function likelyScales(lowest: number, highest: number): string {
  const likely = COMMON_SCALES.filter(([low, high]) => lowest >= low && highest <= high).slice(0, 2);
  return likely.length === 0 ? "" : ` (here perhaps ${likely.map(([low, high]) => `${low},${high}`).join(" or ")})`;
}

/** The scale that scores are given on. */
export interface ScaleOptions {
  /** The worst and the best score there can be, which become 0 and 1: `[10, 0]` where lower is better. @default [0, 1] */
  readonly scoreRange?: readonly [worst: number, best: number];
}

/** Whether scores are given on [0,1]: true, false and a harness's words for them mean scores on no other scale. */
export function isUnitScale({ scoreRange: [worst, best] = [0, 1] }: ScaleOptions): boolean {
  return Math.min(worst, best) === 0 && Math.max(worst, best) === 1;
}

export function isLowerBetter({ scoreRange: [worst, best] = [0, 1] }: ScaleOptions): boolean {
  return worst > best;
}

/**
 * The linear map from a harness's scores to [0,1]; as it is linear, it maps a mean to the mean of the mapped.
 * @throws AnchorEvalError `invalid_option` for a range that is none
 * @example scoreScale({ scoreRange: [100, 0] })(62.5) // 0.375
 */
export function scoreScale({ scoreRange: [worst, best] = [0, 1] }: ScaleOptions): (score: number) => number {
  if (!Number.isFinite(worst) || !Number.isFinite(best) || worst === best)
    throw invalidOption(`\`scoreRange\` must be two numbers, the worst score and the best; got ${worst},${best}`);
  if (worst === 0 && best === 1) return (score) => score;
  return worst < best ? (score) => (score - worst) / (best - worst) : (score) => (worst - score) / (worst - best);
}

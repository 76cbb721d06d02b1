import { AnchorEvalError } from "../core/errors.ts";
import { jsonKind, quoted } from "./data-issues.ts";

/** How scores are read. */
export type ScoreOptions = ScaleOptions;

/** The rule that a score breaks. */
export interface ScoreProblem {
  readonly code: "not_a_number" | "out_of_range";
  readonly message: string;
}

/** Reads scores: a number in [0,1], or NaN where there is none (an empty cell, null). */
export interface ScoreReader {
  fromText(cell: string): number | ScoreProblem;
  fromJson(value: unknown): number | ScoreProblem;
}

/** Decimal numbers as programs write them; not `0x1`, `Infinity` and other text that `Number` takes. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Makes a reader of scores.
 * @throws AnchorEvalError `invalid_option` for a range that is none
 * @example scoreReader({ scoreRange: [0, 100] }).fromText("62.5") // 0.625
 */
export function scoreReader(options: ScoreOptions = {}): ScoreReader {
  const scale = scoreScale(options);
  const [low, high] = options.scoreRange ?? [0, 1];
  const plain = low === 0 && high === 1 && options.flip !== true;
  const hint =
    options.scoreRange === undefined
      ? "; for other bounded scores give --score-range lo,hi, and --flip where lower is better"
      : "";

  const scaled = (score: number): number | ScoreProblem => {
    if (!(score >= low && score <= high))
      return { code: "out_of_range", message: `a score must be in [${low},${high}], got ${score}${hint}` };
    return scale(score) + 0; // -0 becomes 0
  };
  return {
    fromText: (cell) => {
      if (cell === "") return NaN;
      if (plain && cell === "0") return 0;
      if (plain && cell === "1") return 1;
      const text = cell.trim();
      if (DECIMAL.test(text)) return scaled(Number(text));
      return {
        code: "not_a_number",
        message: `a score must be a number, got ${quoted(cell)}; an empty cell means no score`,
      };
    },
    fromJson: (value) => {
      if (value === null) return NaN;
      if (typeof value === "number") return scaled(value);
      return { code: "not_a_number", message: `a score must be a number, got ${jsonKind(value)}; null means no score` };
    },
  };
}

/** The scale that scores are given on. */
export interface ScaleOptions {
  /** The lowest and the highest score there can be; scores are rescaled from it to [0,1]. @default [0, 1] */
  readonly scoreRange?: readonly [low: number, high: number];
  /** Lower is better: after rescaling, a score y becomes 1 − y. @default false */
  readonly flip?: boolean;
}

/**
 * The linear map from a harness's scores to [0,1]; as it is linear, it maps a mean to the mean of the mapped.
 * @throws AnchorEvalError `invalid_option` for a range that is none
 * @example scoreScale({ scoreRange: [0, 100] })(62.5) // 0.625
 */
export function scoreScale({
  scoreRange: [low, high] = [0, 1],
  flip = false,
}: ScaleOptions): (score: number) => number {
  if (!Number.isFinite(low) || !Number.isFinite(high) || low >= high)
    throw new AnchorEvalError(
      "invalid_option",
      `--score-range must be two numbers, the lower one first; got ${low},${high}`,
    );
  if (low === 0 && high === 1) return flip ? (score) => 1 - score : (score) => score;
  return (score) => (flip ? (high - score) / (high - low) : (score - low) / (high - low));
}

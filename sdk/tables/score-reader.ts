import { scoreScale, type ScaleOptions } from "../logs/score-scale.ts";
import { jsonKind, quoted } from "./quoted.ts";

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
      return { code: "out_of_range", message: `a score is in [${low},${high}], got ${score}${hint}` };
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
        message: `a score is a number, got ${quoted(cell)}; an empty cell means no score`,
      };
    },
    fromJson: (value) => {
      if (value === null) return NaN;
      if (typeof value === "number") return scaled(value);
      return { code: "not_a_number", message: `a score is a number, got ${jsonKind(value)}; null means no score` };
    },
  };
}

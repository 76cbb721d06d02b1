import { AnchorEvalError } from "../core/errors.ts";

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
      `--score-range is two numbers, the lower one first; got ${low},${high}`,
    );
  if (low === 0 && high === 1) return flip ? (score) => 1 - score : (score) => score;
  return (score) => (flip ? (high - score) / (high - low) : (score - low) / (high - low));
}

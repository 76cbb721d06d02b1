import { sigmoid } from "anchoreval/core";
import type { Calibration } from "../calibrate/calibrate.ts";
import type { CodedResponses } from "../calibrate/types.ts";

/** Abilities and curves that were fitted to some answers. */
export type FittedCurves = Pick<Calibration, "dims" | "theta" | "a" | "b">;

/** Coded answers of a bank, item by item, beside the calibration that was fitted to them. */
export interface FittedAnswers<Curves extends FittedCurves = FittedCurves> {
  /** Models M: rows of the calibration. */
  readonly models: number;
  /** Items N. */
  readonly items: number;
  /** +1 right, −1 wrong, 0 missing: `signs[i·M + m]`. */
  readonly signs: Int8Array;
  readonly calibration: Curves;
}

/** Square of cells that is transposed at a time, so that reads and writes both stay in the cache. */
const TILE = 64;

/** Turns the coded responses of a calibration, model by model, to items. */
export function fittedAnswers<Curves extends FittedCurves>(
  { subjects, items, signs }: CodedResponses,
  calibration: Curves,
): FittedAnswers<Curves> {
  const turned = new Int8Array(signs.length);
  for (let top = 0; top < subjects; top += TILE)
    for (let left = 0; left < items; left += TILE) {
      const bottom = Math.min(subjects, top + TILE);
      const right = Math.min(items, left + TILE);
      for (let m = top; m < bottom; m++)
        for (let i = left; i < right; i++) turned[i * subjects + m] = signs[m * items + i]!;
    }
  return { models: subjects, items, signs: turned, calibration };
}

/**
 * Probability P = σ(a·θ − b) that each model gets an item right.
 * @param out - filled and returned, length M
 */
export function probabilities({ models, calibration }: FittedAnswers, item: number, out: Float64Array): Float64Array {
  const { theta, a, b, dims } = calibration;
  for (let m = 0; m < models; m++) {
    let z = -b[item]!;
    for (let d = 0; d < dims; d++) z += a[item * dims + d]! * theta[m * dims + d]!;
    out[m] = sigmoid(z);
  }
  return out;
}

import type { RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";

/** Draws of the baseline. */
const DRAWS = 200;

/**
 * Mean absolute error of simple random sampling without replacement of n items with weighted mean Σwy/Σw, of each
 * target against the same truth: {@link DRAWS} draws.
 * @param truths - full scores, aligned with `targets`
 * @returns one mean absolute error a target, as a fraction
 */
export function randomErrors(
  matrix: ResponseMatrix,
  { begin, count, weights }: ScenarioSlice,
  targets: readonly number[],
  truths: readonly number[],
  n: number,
  random: RandomSource,
): Float64Array {
  const size = Math.min(n, count);
  const errors = new Float64Array(targets.length);
  const items = Int32Array.from({ length: count }, (_, i) => i);
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let k = 0; k < size; k++) {
      const other = k + random.below(count - k);
      const item = items[k]!;
      items[k] = items[other]!;
      items[other] = item;
    }
    for (let t = 0; t < targets.length; t++) {
      const row = targets[t]! * matrix.items.length + begin;
      let sum = 0;
      let mass = 0;
      for (let k = 0; k < size; k++) {
        const item = items[k]!;
        if (matrix.observed !== null && matrix.observed[row + item] === 0) continue;
        sum += weights[item]! * matrix.scores[row + item]!;
        mass += weights[item]!;
      }
      errors[t]! += Math.abs((mass > 0 ? sum / mass : 0.5) - truths[t]!) / DRAWS;
    }
  }
  return errors;
}

import { normalQuantile, wilsonInterval, type RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { holdsTruth, winklerScore } from "./interval-figures.ts";

/** Draws of the baseline. */
const DRAWS = 200;

/** Level of its intervals, and the normal quantile of that. */
const LEVEL = 0.95;
const Z = normalQuantile((1 + LEVEL) / 2);

/** What estimating by random items comes to, target by target: means over the draws, as fractions. */
export interface RandomBaseline {
  /** Mean absolute error. */
  readonly errors: Float64Array;
  /** Of Wilson's 95 % interval; null where every item is asked and there is nothing to tell. */
  readonly intervals: {
    /** Share of the intervals that hold the truth. */
    readonly coverage: Float64Array;
    readonly halfWidth: Float64Array;
    readonly winkler: Float64Array;
  } | null;
}

/**
 * Simple random sampling without replacement of n items with weighted mean Σwy/Σw, of each target against the same
 * truth: {@link DRAWS} draws. Its interval is Wilson's, at the mean and the effective number of items (Σw)²/Σw² (n where
 * items weigh the same), as one would give it who knows nothing but the answers: no factor for a finite number of items,
 * and scores between 0 and 1 as if they were right or wrong. Without any observed answer the score is taken for ½, by
 * an interval from 0 to 1.
 * @param truths - full scores, aligned with `targets`
 * @see Kish (1965), Survey Sampling, §11.2 (effective number)
 */
export function randomBaseline(
  matrix: ResponseMatrix,
  { begin, count, weights }: ScenarioSlice,
  targets: readonly number[],
  truths: readonly number[],
  n: number,
  random: RandomSource,
): RandomBaseline {
  const size = Math.min(n, count);
  const zeros = (): Float64Array => new Float64Array(targets.length);
  const errors = zeros();
  const intervals = size < count ? { held: zeros(), halfWidth: zeros(), winkler: zeros() } : null;
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
      const truth = truths[t]!;
      let sum = 0;
      let mass = 0;
      let squares = 0;
      for (let k = 0; k < size; k++) {
        const item = items[k]!;
        if (matrix.observed !== null && matrix.observed[row + item] === 0) continue;
        const weight = weights[item]!;
        sum += weight * matrix.scores[row + item]!;
        mass += weight;
        squares += weight * weight;
      }
      const score = mass > 0 ? sum / mass : 0.5;
      errors[t]! += Math.abs(score - truth) / DRAWS;
      if (intervals === null) continue;
      const interval = mass > 0 ? wilsonInterval(score, mass ** 2 / squares, Z) : { low: 0, high: 1 };
      intervals.held[t]! += holdsTruth(interval, truth) ? 1 : 0;
      intervals.halfWidth[t]! += (interval.high - interval.low) / 2 / DRAWS;
      intervals.winkler[t]! += winklerScore(interval, truth, LEVEL) / DRAWS;
    }
  }
  if (intervals === null) return { errors, intervals };
  const { held, halfWidth, winkler } = intervals;
  return { errors, intervals: { coverage: held.map((draws) => draws / DRAWS), halfWidth, winkler } };
}

import { applyMonotoneMap } from "anchoreval/core";
import type { AnsweredItems } from "./difficulty.ts";
import { expectedScores } from "./form-curves.ts";

/** Half-width of the grid of abilities, in standard deviations of the models', and its points. */
const SPAN = 8;
const POINTS = 321;

/**
 * IRT true-score equating of a form to the pool: to every raw score 0 … n, the score that is expected on the whole pool
 * of whoever is expected to get that raw score, Pool(Form⁻¹(x/n)), both curves means of the items' predicted scores.
 * Beyond what the curves reach on eight standard deviations the line goes straight to 0 and to 1, so that no and all right
 * stay what they are. It never falls. Items without a curve count as the others do on average.
 * @param form - indices into the pool, ascending @param pool - likewise, all of them
 * @returns n + 1 scores in [0,1]
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §6.5
 */
export function equatedScores(answered: AnsweredItems, form: ArrayLike<number>, pool: ArrayLike<number>): Float64Array {
  const { mean, sd } = answered.abilities;
  const abilities = Float64Array.from({ length: POINTS }, (_, k) => mean + SPAN * sd * ((2 * k) / (POINTS - 1) - 1));
  const from = rising(expectedScores(answered, form, abilities));
  const to = rising(expectedScores(answered, pool, abilities));
  const map = { x: Float64Array.of(0, ...from, 1), y: Float64Array.of(0, ...to, 1) };
  return Float64Array.from({ length: form.length + 1 }, (_, raw) => applyMonotoneMap(map, raw / form.length));
}

/** Curves fall nowhere but for items that strong models miss: the largest value so far. */
function rising(curve: Float64Array): Float64Array {
  let largest = 0;
  return curve.map((value) => (largest = Math.max(largest, value)));
}

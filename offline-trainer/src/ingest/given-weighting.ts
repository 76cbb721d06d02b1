import { WEIGHTINGS, type Weighting } from "anchoreval/bundle";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { scenarioSlices } from "../prepare/scenarios.ts";

/** Relative difference of weights that are the same. */
const TOLERANCE = 1e-6;

/**
 * The weighting that given weights come to, in every scenario: each subscenario the same, or each item. A bundle keeps no
 * other weights.
 * @param items - grouped by scenario and subscenario
 * @param weights - of each item, any scale within a scenario
 * @returns null where they are neither
 */
export function givenWeighting(items: readonly ItemInfo[], weights: ArrayLike<number>): Weighting | null {
  const fits = (weighting: Weighting): boolean =>
    scenarioSlices(items, weighting).every(({ begin, count, weights: own }) => {
      const given = Array.from({ length: count }, (_, i) => weights[begin + i]!);
      const sum = given.reduce((total, weight) => total + weight, 0);
      return given.every((weight, i) => Math.abs(weight / sum - own[i]!) <= TOLERANCE * own[i]!);
    });
  return WEIGHTINGS.find(fits) ?? null;
}

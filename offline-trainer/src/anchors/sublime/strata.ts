import { AnchorEvalError, inclusionProbabilities } from "anchoreval/core";
import { apportion } from "../../simulate/scenarios.ts";
import type { ItemGroups } from "./item-features.ts";

/** Items of a stratum and how many of them a subset has. */
export interface Stratum {
  /** Ascending. */
  readonly items: readonly number[];
  readonly quota: number;
}

/**
 * How many items a subset of k has of every stratum: its share of Σπ_i, π_i = min(1, c·w_i), in whole numbers by largest
 * remainders, so that no stratum is asked for more than it has.
 * @param groups - null: one stratum of all items
 * @param weights - of the items
 * @throws AnchorEvalError `invalid_option` for fewer items than strata
 */
export function strataOf(groups: ItemGroups | null, weights: Float64Array, k: number): Stratum[] {
  const members = groups === null ? [Array.from(weights.keys())] : membersOf(groups);
  checkStrata(groups, k);
  const chances = inclusionProbabilities(weights, k);
  const shares = members.map((items) => items.reduce((sum, i) => sum + chances[i]!, 0));
  const quotas = apportion(k, shares, 0);
  return members.map((items, s) => ({ items, quota: quotas[s]! }));
}

/**
 * Refuses subsets of fewer items than there are strata.
 * @param where - put after the number of strata, such as " in SCENARIO"
 * @throws AnchorEvalError `invalid_option`
 */
export function checkStrata(groups: ItemGroups | null, k: number, where = ""): void {
  const count = groups === null ? 0 : new Set(groups.labels).size;
  if (groups === null || count <= k) return;
  throw new AnchorEvalError(
    "invalid_option",
    `--strata ${groups.name} has ${count} strata${where}, more than the ${k} items asked for: ask for ${count} at least, or name a coarser column`,
  );
}

function membersOf({ labels }: ItemGroups): number[][] {
  const members = new Map<number, number[]>();
  labels.forEach((label, i) => {
    const own = members.get(label);
    if (own) own.push(i);
    else members.set(label, [i]);
  });
  return [...members.values()];
}

import type { AdaptivePlan, PoolPopulation } from "anchoreval";
import type { RandomSource } from "anchoreval/core";
import { expectedExposure } from "../exposure/expected-exposure.ts";
import { limitExposure } from "../exposure/limit-exposure.ts";

/** Share of evaluations in which an item is given. */
export interface ItemExposure {
  /** Of the item that is given most often. */
  readonly most: number;
  /** 95 % of the items are given no more often. */
  readonly percentile95: number;
}

/** Exposure of a population's items in evaluations of some models, expected from the probabilities of the draws. */
export function itemExposure(
  population: PoolPopulation,
  plan: AdaptivePlan,
  models: readonly ArrayLike<number>[],
  evaluations: number,
  random: RandomSource,
): ItemExposure {
  const shares = expectedExposure(population, plan, models, evaluations, random).sort();
  return { most: shares.at(-1)!, percentile95: shares[Math.ceil(0.95 * shares.length) - 1]! };
}

/** The population with exposure factors that keep every item's share of some models' evaluations at a limit. */
export async function limitedPopulation(
  population: PoolPopulation,
  plan: AdaptivePlan,
  models: readonly ArrayLike<number>[],
  options: Parameters<typeof limitExposure>[3],
): Promise<PoolPopulation> {
  const { factors } = await limitExposure(population, plan, models, options);
  return { ...population, exposure: Float64Array.from(factors) };
}

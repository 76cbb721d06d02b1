import type { AbilityPrior, HigherOrderPrior } from "../ability/types.ts";
import type { ItemBank } from "../irt/types.ts";
import type { MonotoneMap } from "../numeric/monotone-map.ts";

/** The items that an adaptive evaluation draws from: all of one scenario or of several, one after another. */
export interface Population {
  /** Each scenario's items stand together, from `begin` on, in parameter order. */
  readonly scenarios: readonly PopulationScenario[];
  /** Each with an ability of its own. */
  readonly banks: readonly PopulationBank[];
  readonly count: number;
  /** Of every item in the score, summing to 1. */
  readonly weights: Float64Array;
  /** Factor in (0,1] of every item's probability, which keeps some from being asked too often; null = all 1. */
  readonly exposure: Float64Array | null;
}

/** A scenario's items among those of all. */
export interface PopulationScenario {
  readonly id: string;
  readonly begin: number;
  readonly bank: ItemBank;
  /** From response probability to score, where scores were binarised for the fit. */
  readonly scoreMap: MonotoneMap | null;
}

/** Scenarios that share an ability. */
export interface PopulationBank {
  /** Indices of its scenarios in {@link Population.scenarios}. */
  readonly scenarios: readonly number[];
  /** Of its ability; linked to other banks' where it is a higher-order one: then all of them are. */
  readonly prior: AbilityPrior | HigherOrderPrior;
}

/** What was asked so far and how it was scored. */
export interface AskedItems {
  /** Positions in the population. */
  readonly items: ArrayLike<number>;
  /** Aligned, in [0,1]; NaN = asked without an answer. */
  readonly scores: ArrayLike<number>;
}

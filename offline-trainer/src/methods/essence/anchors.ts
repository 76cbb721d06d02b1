import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import {
  equalShares,
  excluding,
  type AnchorInput,
  type AnchorMethod,
  type PreparedAnchors,
} from "../../anchors/anchor-method.ts";
import { copiedItems } from "../../matrix/same-text.ts";
import { coarseFilter, type FilteredItems, type FilterLimits, filterNotes } from "../coarse-filter.ts";
import { itemColumns, weightedScores } from "../item-columns.ts";
import { type EssenceOptions, essenceSearch, innerSplit } from "./subset-search.ts";

/** EssenceBench's limits of the coarse filter, without its search for items that rank models alike. */
export const ESSENCE_LIMITS: FilterLimits = {
  leastDeviation: 0.001,
  mostAccuracy: 0.95,
  leastCorrelation: 0.05,
  mostRedundancy: 1,
};

/** The published search, with fewer generations. */
export const ESSENCE_SEARCH: EssenceOptions = {
  population: 200,
  groupPopulation: 60,
  elite: 0.1,
  tournament: 3,
  generations: 100,
  patience: 25,
  rounds: 2,
};

/** Share of the source models that subsets are judged by. */
const JUDGING_SHARE = 0.5;

/** Input of {@link prepareEssence}. */
interface EssenceInput extends Pick<AnchorInput, "weights" | "accuracy" | "column" | "sizes" | "random"> {
  /** Family of every source model. @default each is one of its own */
  readonly families?: ArrayLike<number>;
  /** Groups of duplicate items. */
  readonly copies?: readonly (readonly number[])[];
  /** Generations of each genetic search at most. @default 100 */
  readonly generations?: number;
}

/** {@link prepareEssence} as a way to choose anchors; duplicate items are found by their texts. */
export const essenceAnchors: AnchorMethod = {
  name: "essence",
  source: { module: import.meta.url, name: "essenceAnchors" },
  drawn: false,
  estimator: "stack",
  scoreMap: "mean",
  second: true,
  know: copiedItems,
  prepare: (input) => {
    const { draw, second, filtered } = prepareEssence({ ...input, copies: input.knowledge as readonly number[][] });
    return { draw, second, notes: () => Promise.resolve({ filtered: filterNotes(filtered) }) };
  },
};

/**
 * EssenceBench: a coarse filter ({@link coarseFilter}), then a separate search for each size ({@link essenceSearch}), judged
 * on half of the source models' families. The choice is purposive, so every draw returns the same anchors, with equal
 * masses.
 */
export function prepareEssence({
  weights,
  accuracy,
  column,
  sizes,
  random,
  families,
  copies = [],
  generations = ESSENCE_SEARCH.generations,
}: EssenceInput): PreparedAnchors & Required<Pick<PreparedAnchors, "second">> & { readonly filtered: FilteredItems } {
  const columns = itemColumns(column, weights.length);
  const full = weightedScores(columns, weights);
  const least = Math.min(weights.length, 2 * sizes.at(-1)!);
  const filtered = coarseFilter(columns, full, copies, ESSENCE_LIMITS, least);
  const models = Array.from({ length: columns.models }, (_, m) => m);
  const split = innerSplit(families ?? models, JUDGING_SHARE, random.fork("judging models"));
  const setOf = equalShares(accuracy);
  const search = (pool: Uint32Array, size: number, stream: string): AnchorSet =>
    setOf(
      essenceSearch({ columns, full, split }, pool, size, { ...ESSENCE_SEARCH, generations }, random.fork(stream))
        .items,
    );
  const sets = new Map(sizes.map((size) => [size, search(filtered.pool, size, `size ${size}`)]));
  const second = ([size, { items }]: [number, AnchorSet]): [number, AnchorSet] => {
    const left = Uint32Array.from(excluding(filtered.pool, items));
    return [size, search(left, size, `second form of size ${size}`)];
  };
  return { draw: () => ({ sets, nested: false }), second: () => new Map([...sets].map(second)), filtered };
}

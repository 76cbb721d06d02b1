import { equalShares, type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { copiedItems } from "../../matrix/same-text.ts";
import { chooseScreened, type FilterLimits, screenItems } from "../coarse-filter.ts";
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

/**
 * EssenceBench: a coarse filter, then a separate search for each size ({@link essenceSearch}), judged on half of the source
 * models' families; duplicate items are found by their texts.
 */
export const essenceAnchors: AnchorMethod = {
  name: "essence",
  source: { module: import.meta.url, name: "essenceAnchors" },
  drawn: false,
  estimator: "stack",
  scoreMap: "mean",
  second: true,
  know: copiedItems,
  prepare: (input: AnchorInput & Partial<Pick<EssenceOptions, "generations">>) => {
    const { accuracy, families, sizes, random, generations = ESSENCE_SEARCH.generations } = input;
    const { filtered, ...scores } = screenItems(input, ESSENCE_LIMITS);
    const split = innerSplit(families, JUDGING_SHARE, random.fork("judging models"));
    const setOf = equalShares(accuracy);
    return chooseScreened(sizes, filtered, (among, size, second) => {
      const stream = random.fork(`${second ? "second form of size" : "size"} ${size}`);
      return setOf(essenceSearch({ ...scores, split }, among, size, { ...ESSENCE_SEARCH, generations }, stream).items);
    });
  },
};

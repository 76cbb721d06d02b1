import { type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { equalShares } from "../chosen-items.ts";
import { copiedItems } from "../../matrix/same-text.ts";
import { chooseScreened, type FilterLimits, screenItems } from "../coarse-filter.ts";
import { addGram, cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { mean } from "../../numeric/statistics.ts";
import { columnsOf, type ItemColumns, meanScores } from "../item-columns.ts";
import type { SmoothCurve } from "../score-maps/b-splines.ts";
import { smoothMap } from "../score-maps/penalised-spline.ts";
import { type GeneticOptions, geneticSearch, subsetError } from "./genetic-search.ts";
import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";
import { meanMaps } from "../score-maps/form-score-maps.ts";

interface EssenceOptions extends GeneticOptions {
  /** Subsets in a generation of a group's search. */
  readonly groupPopulation: number;
  /** Rounds of a search of the pool and one of each of its groups. */
  readonly rounds: number;
}

/** The source models' scores, full scores, and who of them judges. */
interface EssenceInput {
  readonly columns: ItemColumns;
  readonly full: Float64Array;
  readonly split: ReturnType<typeof innerSplit>;
}

/**
 * EssenceBench: each round runs a genetic search of the pool for k items, then one in each of three groups, made by the
 * {@link attribution} of the best subsets' items; the group with the best subset is the next round's pool. The best subset
 * of all searches is returned.
 *
 * Within a round, subsets are judged by one fixed map, from the mean score on the whole pool to the full score. That map is
 * biased for a subset's mean and changes from round to round, so searches are compared by maps refitted to their best
 * subsets.
 * @param pool - items that may be chosen, ascending, at least k
 * @returns items ascending; the map from their mean score to the full score, fitted on the models that searches aren't
 * judged by, and its root mean square error on those that they are: too small for any others
 * @see arXiv 2510.10457
 */
export function essenceSearch(
  { columns, full, split }: EssenceInput,
  pool: Uint32Array,
  k: number,
  options: EssenceOptions,
  random: RandomSource,
) {
  const part = (models: readonly number[]) => ({
    columns: columnsOf(columns, models),
    full: Float64Array.from(models, (m) => full[m]!),
  });
  const [learned, judged] = [part(split.fitted), part(split.judging)];
  const mapFrom = (items: Uint32Array): SmoothCurve => smoothMap(meanScores(learned.columns, items), learned.full);

  const search = (among: Uint32Array, map: SmoothCurve, population: number, stream: RandomSource) => {
    const result = geneticSearch(among, k, { ...judged, map }, { ...options, population }, stream);
    const elite = result.elite.map(({ items }) => items);
    const refitted = mapFrom(elite[0]!);
    const error = subsetError({ ...judged, map: refitted }, meanScores(judged.columns, elite[0]!), 1);
    return { pool: among, elite, map: refitted, error };
  };

  const searches: ReturnType<typeof search>[] = [];
  for (let round = 0, current = pool; round < options.rounds; round++) {
    const stream = random.fork(`round ${round}`);
    const map = mapFrom(current);
    const whole = search(current, map, options.population, stream.fork("pool"));
    const groups = regroup(current, attribution(learned.columns, learned.full, whole.elite), k, stream.fork("groups"));
    const parts = GROUPS.map((name) => search(groups[name], map, options.groupPopulation, stream.fork(name)));
    searches.push(whole, ...parts);
    current = leastError(parts).pool;
  }
  const { elite, map, error } = leastError(searches);
  return { items: elite[0]!, map, error };
}

function leastError<Searched extends { readonly error: number }>(searched: readonly Searched[]): Searched {
  return searched.reduce((best, other) => (other.error < best.error ? other : best));
}

/**
 * Holds out a share of the source models, whole families together, and leaves one family at least. Where all are one
 * family they are split without it; a single model is on both sides.
 * @param share - of the models that judge; more by a part of the last family taken
 * @returns positions of the models that maps are fitted on, and of those that subsets are judged by
 */
export function innerSplit(families: ArrayLike<number>, share: number, random: RandomSource) {
  const models = Array.from(families, (_, m) => m);
  if (models.length === 1) return { fitted: models, judging: models };
  const several = new Set(Array.from(families)).size > 1;
  const groups = several ? Array.from(families) : models;
  const wanted = Math.max(1, Math.round(share * models.length));
  const held = new Set<number>();
  let count = 0;
  for (const group of random.shuffle([...new Set(groups)]).slice(0, -1)) {
    if (count >= wanted) break;
    held.add(group);
    count += groups.filter((other) => other === group).length;
  }
  return { fitted: models.filter((m) => !held.has(groups[m]!)), judging: models.filter((m) => held.has(groups[m]!)) };
}

/** Share of a pool that a group has. */
const SHARE = 0.75;

/** Parts of a pool that are searched apart. */
export const GROUPS = ["high", "low", "random"] as const;

/**
 * Three overlapping parts of a pool, each three quarters of it and at least k items: those of the highest importance, of
 * the lowest, and random ones. Items that are equally important come in random order.
 * @param importance - of every item of the scenario
 * @returns items, ascending
 * @see arXiv 2510.10457, §3
 */
export function regroup(
  pool: Uint32Array,
  importance: Float64Array,
  k: number,
  random: RandomSource,
): Record<(typeof GROUPS)[number], Uint32Array> {
  const count = Math.max(k, Math.ceil(SHARE * pool.length));
  const shuffled = random.shuffle(Array.from(pool));
  const ranked = shuffled.toSorted((x, y) => importance[y]! - importance[x]!);
  const part = (items: readonly number[]): Uint32Array => Uint32Array.from(items).sort();
  return {
    high: part(ranked.slice(0, count)),
    low: part(ranked.slice(-count)),
    random: part(random.shuffle(shuffled).slice(0, count)),
  };
}

/** Penalty of the regressions, on columns whose squares sum to a quarter of the models at most. */
const PENALTY = 10;

/**
 * Importance of items for the full score, given the others of their subset: |β_i|·sd(y_i) of the ridge regression of the
 * full score on a subset's answers, averaged over the subsets that hold the item; 0 of an item in none.
 *
 * In the dual form, (XXᵀ + 10·I)a = S − S̄, β = Xᵀa, with a row a model: a subset may have more items than there are models.
 * EssenceBench asks additive trees (explainable boosting machines), which take nearly all of its time.
 */
export function attribution(columns: ItemColumns, full: Float64Array, subsets: readonly Uint32Array[]): Float64Array {
  const { models, items, scores } = columns;
  const level = mean(full);
  const sum = new Float64Array(items);
  const count = new Float64Array(items);
  for (const subset of subsets) {
    const centred = new Float64Array(subset.length * models);
    subset.forEach((item, j) => {
      const column = scores.subarray(item * models, (item + 1) * models);
      const centre = mean(column);
      column.forEach((score, m) => (centred[j * models + m] = score - centre));
    });
    const gram = new Float64Array(models * models);
    for (let m = 0; m < models; m++) gram[m * models + m] = PENALTY;
    addGram(gram, models, centred, new Float64Array(subset.length).fill(1), subset.length);
    const ahead = full.map((value) => value - level);
    const weights = choleskySolve(cholesky(gram, models)!, models, ahead);
    subset.forEach((item, j) => {
      let [slope, square] = [0, 0];
      for (let m = 0; m < models; m++) {
        const value = centred[j * models + m]!;
        slope += value * weights[m]!;
        square += value * value;
      }
      sum[item]! += Math.abs(slope) * Math.sqrt(square / models);
      count[item]! += 1;
    });
  }
  return sum.map((total, i) => (count[i]! > 0 ? total / count[i]! : 0));
}

/** EssenceBench's limits of the coarse filter. */
export const ESSENCE_LIMITS: FilterLimits = {
  leastDeviation: 0.001,
  mostAccuracy: 0.95,
  leastCorrelation: 0.05,
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

/** @see EssenceBench, arXiv 2510.10457 */
export const essence: Method = {
  name: "essence",
  summary: "coarse filter and genetic search for the subset whose mean tells most",
  settings: { ...DEFAULT_SETTINGS, selection: "essence", estimator: "score-map" },
  anchors: essenceAnchors,
  scoreMaps: meanMaps,
};

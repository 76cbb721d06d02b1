import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { type AnchorInput, type PreparedAnchors } from "../anchors/anchor-method.ts";
import { excluding } from "./chosen-items.ts";
import { mean as meanOf, variance } from "../numeric/statistics.ts";
import { itemColumns, weightedScores, type ItemColumns } from "./item-columns.ts";

/** Rules that exclude items, in the order of application. */
export const FILTER_RULES = ["constant", "tooEasy", "unrelated", "sameText"] as const;
type FilterRule = (typeof FILTER_RULES)[number];

export interface FilterLimits {
  /** Standard deviation of an item's scores below which it is constant. */
  readonly leastDeviation: number;
  readonly mostAccuracy: number;
  /** |point-biserial correlation| with the full score below which an item is unrelated to it. */
  readonly leastCorrelation: number;
}

export type FilteredItems = ReturnType<typeof coarseFilter>;

/**
 * A scenario's scores and the items that pass {@link coarseFilter}, twice as many as anchors at least.
 * @param input - `knowledge`: groups of duplicate items
 */
export function screenItems(
  { weights, column, sizes, knowledge }: Pick<AnchorInput, "weights" | "column" | "sizes" | "knowledge">,
  limits: FilterLimits,
) {
  const columns = itemColumns(column, weights.length);
  const full = weightedScores(columns, weights);
  const copies = (knowledge ?? []) as readonly (readonly number[])[];
  return { columns, full, filtered: coarseFilter(columns, full, copies, limits, leastPassing(weights.length, sizes)) };
}

/** Items that pass at least: twice as many as the most anchors, if there are so many. */
export function leastPassing(items: number, sizes: readonly number[]): number {
  return Math.min(items, 2 * sizes.at(-1)!);
}

/**
 * Anchors chosen on purpose among the items that pass a filter: every draw returns the same.
 * @param choose - anchors of a size among some items; `second`: for a form of what the first one left
 */
export function chooseScreened(
  sizes: readonly number[],
  { pool, dropped, needed }: FilteredItems,
  choose: (among: Uint32Array, size: number, second: boolean) => AnchorSet,
): PreparedAnchors {
  const sets = new Map(sizes.map((size) => [size, choose(pool, size, false)]));
  const second = (size: number, { items }: AnchorSet): AnchorSet =>
    choose(Uint32Array.from(excluding(pool, items)), size, true);
  return {
    draw: () => ({ sets, nested: false }),
    second: () => new Map(Array.from(sets, ([size, first]) => [size, second(size, first)])),
    // Manifests count items that rank models alike, too: none is excluded for that.
    notes: () => Promise.resolve({ filtered: { pool: pool.length, dropped: { ...dropped, redundant: 0 }, needed } }),
  };
}

/**
 * The coarse filter of EssenceBench, without its search for items that rank models alike: excludes items that hardly vary,
 * that nearly all models answer correctly, that don't correlate with the full score, and all but the first of those with
 * the same text. Each rule excludes its clearest cases first, and none where fewer than `least` items would pass.
 * @param copies - groups of duplicate items
 * @see arXiv 2510.10457, §3
 */
export function coarseFilter(
  columns: ItemColumns,
  full: Float64Array,
  copies: readonly (readonly number[])[],
  limits: FilterLimits,
  least: number,
) {
  const { items } = columns;
  const { mean, deviation, correlation } = itemMoments(columns, full);
  const left = new Set(Array(items).keys());
  const dropped: Record<FilterRule, number> = { constant: 0, tooEasy: 0, unrelated: 0, sameText: 0 };
  const needed = new Set<number>();
  const drop = (rule: FilterRule, caught: readonly number[]): void => {
    for (const item of caught) {
      if (!left.has(item)) continue;
      if (left.size <= least) needed.add(item);
      else {
        left.delete(item);
        dropped[rule]++;
      }
    }
  };
  /** Items with a value below a limit, the lowest first. */
  const below = (values: Float64Array, limit: number): number[] =>
    [...left].filter((i) => values[i]! < limit).sort((x, y) => values[x]! - values[y]! || x - y);
  drop("constant", below(deviation, limits.leastDeviation));
  const failures = mean.map((value) => 1 - value);
  drop("tooEasy", below(failures, 1 - limits.mostAccuracy));
  drop("unrelated", below(correlation.map(Math.abs), limits.leastCorrelation));
  const repeated = (group: readonly number[]): number[] => group.filter((item) => left.has(item)).slice(1);
  drop("sameText", copies.flatMap(repeated));
  return {
    /** Ascending. */
    pool: Uint32Array.from(left),
    /** By the first rule that excluded them. */
    dropped,
    /** Items that a rule would exclude but that were needed. */
    needed: needed.size,
  };
}

/** Mean and standard deviation of every item's scores, and their correlation with the full score; 0 where either is constant. */
function itemMoments({ models, items, scores }: ItemColumns, full: Float64Array) {
  const centre = meanOf(full);
  const spread = Math.sqrt(variance(full));
  const mean = new Float64Array(items);
  const deviation = new Float64Array(items);
  const correlation = new Float64Array(items);
  for (let i = 0; i < items; i++) {
    const column = scores.subarray(i * models, (i + 1) * models);
    mean[i] = meanOf(column);
    let [square, product] = [0, 0];
    column.forEach((score, m) => {
      square += (score - mean[i]!) ** 2;
      product += (score - mean[i]!) * (full[m]! - centre);
    });
    deviation[i] = Math.sqrt(square / models);
    if (deviation[i]! > 0 && spread > 0) correlation[i] = product / models / (deviation[i]! * spread);
  }
  return { mean, deviation, correlation };
}

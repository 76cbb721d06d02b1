import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { hardFirst, type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { equalShares, excluding } from "../chosen-items.ts";
import { copiedItems } from "../../matrix/same-text.ts";
import { chooseScreened, type FilterLimits, leastPassing, screenItems } from "../coarse-filter.ts";
import { mean } from "../../numeric/statistics.ts";
import { type ItemColumns, meanScores } from "../item-columns.ts";
import { additiveModel } from "../score-maps/additive-model.ts";
import { curveAt } from "../score-maps/b-splines.ts";
import { familyFolds, type AbilityScore } from "../score-maps/form-score-maps.ts";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemInformation } from "anchoreval/internal/core/irt/response";

const METABENCH_LIMITS: FilterLimits = {
  leastDeviation: 0.01,
  mostAccuracy: 0.95,
  leastCorrelation: 0.05,
};

/** Items that are chosen among, at least twice as many as anchors; and random subsets that these are the best of. */
const SUBSAMPLE = { size: 350, draws: 100 };

/** Folds of the source models' families that subsets are judged by. */
const FOLDS = 5;

/**
 * metabench: the items of {@link informationPool} that are most informative over the source models' abilities
 * ({@link informedAnchors}); duplicate items are found by their texts.
 * @see Kipnis et al. (2025), metabench, ICLR
 */
export const informationAnchors: AnchorMethod = {
  name: "fisher-information",
  source: { module: import.meta.url, name: "informationAnchors" },
  drawn: false,
  estimator: "score-map",
  second: true,
  know: copiedItems,
  prepare: (input) => {
    const { filtered, pool, subset } = informationPool(input);
    const design = (input.design as AnchorDesign | null | undefined) ?? DEFAULT_DESIGN;
    return chooseScreened(input.sizes, filtered, (among, size, second) =>
      informedAnchors(input, second ? subset(among, "subsample of a second form") : pool, design, size),
    );
  },
};

/**
 * Candidates for anchors: of the items that pass the coarse filter, the subset whose mean predicts the full score best
 * ({@link subsampledItems}).
 */
export function informationPool(
  input: Pick<AnchorInput, "weights" | "column" | "sizes" | "random" | "families" | "knowledge">,
) {
  const { weights, sizes, random, families } = input;
  const { columns, full, filtered } = screenItems(input, METABENCH_LIMITS);
  const fold = familyFolds(families, FOLDS, random.fork("folds"));
  const judged = { ...SUBSAMPLE, size: Math.max(SUBSAMPLE.size, leastPassing(weights.length, sizes)) };
  const subset = (among: Uint32Array, stream: string): Uint32Array =>
    subsampledItems(columns, full, among, fold, { ...judged, random: random.fork(stream) });
  return { filtered, pool: subset(filtered.pool, "subsample"), /** The same of other items that pass. */ subset };
}

/** Anchors by a design, each standing for the same share. */
export function informedAnchors(
  { bank, abilities, accuracy }: Pick<AnchorInput, "bank" | "abilities" | "accuracy">,
  pool: Uint32Array,
  { grid, binsPerAnchor, threshold }: AnchorDesign,
  n: number,
): AnchorSet {
  const bins = Math.max(1, Math.round(binsPerAnchor * n));
  const chosen = new Set<number>();
  if (threshold !== null) {
    const information = binnedInformation(bank, abilities, pool, grid, bins);
    for (const k of informationItems(information, pool.length, n, threshold)) chosen.add(pool[k]!);
  }
  const left = hardFirst(accuracy)(excluding(pool, chosen));
  const lacking = n - chosen.size;
  for (let k = 0; k < lacking; k++) chosen.add(left[Math.floor(((k + 0.5) * left.length) / lacking)]!);
  return equalShares(accuracy)(chosen);
}

/**
 * The one of some random subsets of a pool whose mean score predicts the full score best: with the least maximum error over
 * folds of models ({@link reconstructionError}).
 * @param size - items of a subset; the whole pool where it has no more
 * @returns items, ascending
 * @see Kipnis et al. (2025), metabench, ICLR, §3 (350 items, 10 000 subsets, five folds)
 */
export function subsampledItems(
  columns: ItemColumns,
  full: Float64Array,
  pool: Uint32Array,
  fold: ArrayLike<number>,
  { size, draws, random }: { readonly size: number; readonly draws: number; readonly random: RandomSource },
): Uint32Array {
  if (pool.length <= size) return pool;
  let best = pool;
  let least = Infinity;
  for (let draw = 0; draw < draws; draw++) {
    const items = Uint32Array.from(random.shuffle([...pool]).slice(0, size)).sort();
    const error = Math.max(...reconstructionError([meanScores(columns, items)], full, fold));
    if (error < least) [best, least] = [items, error];
  }
  return best;
}

/** Pieces of the curves that judge: few, since they are fitted again and again. */
const PIECES = 5;

/**
 * Root mean square error of the full score as a sum of smooth curves of some features, by fold: fitted without the fold's
 * models.
 * @param features - columns, a value of every model each
 * @param fold - of every model, from 0; one that holds all models is judged by their own mean
 */
export function reconstructionError(
  features: readonly Float64Array[],
  full: Float64Array,
  fold: ArrayLike<number>,
): number[] {
  const folds = Math.max(...Array.from(fold)) + 1;
  return Array.from({ length: folds }, (_, index) => {
    const [held, others] = [[] as number[], [] as number[]];
    full.forEach((_, m) => (fold[m] === index ? held : others).push(m));
    if (held.length === 0) return 0;
    const select = (values: Float64Array, rows: readonly number[]): Float64Array =>
      Float64Array.from(rows.length > 0 ? rows : held, (m) => values[m]!);
    const columns = features.map((values) => select(values, others));
    const options = { pieces: PIECES, tolerance: 0.1, maxSteps: 30 };
    const { intercept, curves } = additiveModel(columns, select(full, others), options);
    const squares = held.map((m) => {
      let score = intercept;
      curves.forEach((curve, j) => (score += curve ? curveAt(curve, features[j]![m]!) : 0));
      return (Math.min(1, Math.max(0, score)) - full[m]!) ** 2;
    });
    return Math.sqrt(mean(squares));
  });
}

/** Where items' information is looked at: at the source models' abilities, or on an even grid between them. */
export const INFORMATION_GRIDS = ["sources", "even"] as const;
type InformationGrid = (typeof INFORMATION_GRIDS)[number];

/** How anchors are chosen by their information, and read. */
export interface AnchorDesign {
  readonly grid: InformationGrid;
  readonly binsPerAnchor: number;
  /**
   * Largest information in its bin that an item must have, in logit⁻²; what is then lacking is spread evenly over the items
   * by accuracy. Null: no item is chosen by its information.
   */
  readonly threshold: number | null;
  readonly score: AbilityScore;
}

/** Where nothing is searched. */
export const DEFAULT_DESIGN: AnchorDesign = { grid: "even", binsPerAnchor: 1, threshold: 0, score: "map" };

const EVEN_POINTS = 250;

/**
 * Largest information of every candidate in every bin of the abilities, bins×candidates row-major. A bin has as many of the
 * grid's points as every other. Abilities in several dimensions are ordered by the mean of their logits over the
 * candidates, and an even grid lies on the line between the ends.
 * @param abilities - of the source models, M×D row-major
 * @returns fewer bins where the grid has fewer points
 */
export function binnedInformation(
  bank: ItemBank,
  abilities: Float64Array,
  candidates: ArrayLike<number>,
  grid: InformationGrid,
  bins: number,
): Float64Array {
  const points = gridPoints(bank, abilities, candidates, grid);
  const used = Math.min(bins, points.length);
  const out = new Float64Array(used * candidates.length);
  points.forEach((theta, p) => {
    const begin = Math.floor((p * used) / points.length) * candidates.length;
    for (let k = 0; k < candidates.length; k++)
      out[begin + k] = Math.max(out[begin + k]!, itemInformation(theta, bank, candidates[k]!));
  });
  return out;
}

function gridPoints(
  { dims, a, b }: ItemBank,
  abilities: Float64Array,
  candidates: ArrayLike<number>,
  grid: InformationGrid,
): Float64Array[] {
  const level = (theta: Float64Array): number => {
    let sum = 0;
    for (let k = 0; k < candidates.length; k++) {
      const item = candidates[k]!;
      sum -= b[item]!;
      for (let d = 0; d < dims; d++) sum += a[item * dims + d]! * theta[d]!;
    }
    return sum;
  };
  const ordered = Array.from({ length: abilities.length / dims }, (_, m) => {
    const theta = abilities.slice(m * dims, (m + 1) * dims);
    return { theta, level: level(theta) };
  }).sort((x, y) => x.level - y.level);
  if (grid === "sources") return ordered.map(({ theta }) => theta);
  const [low, high] = [ordered[0]!.theta, ordered.at(-1)!.theta];
  return Array.from({ length: EVEN_POINTS }, (_, p) =>
    low.map((least, d) => least + (p / (EVEN_POINTS - 1)) * (high[d]! - least)),
  );
}

/**
 * Items by their information: in round after round every bin takes the one, of those that no bin has yet, with the largest
 * information in it, if that reaches the threshold. Of a round that brings too many the most informative ones stay. Ends
 * where a round brings none.
 * @param information - bins×candidates, of {@link binnedInformation}
 * @returns positions among the candidates, in the order in which they are taken
 * @see Kipnis et al. (2025), metabench, ICLR, §3
 */
export function informationItems(
  information: Float64Array,
  candidates: number,
  count: number,
  threshold: number,
): number[] {
  const bins = information.length / candidates;
  const chosen: number[] = [];
  const free = new Set(Array.from({ length: candidates }, (_, k) => k));
  for (;;) {
    const round: { readonly item: number; readonly information: number }[] = [];
    for (let bin = 0; bin < bins && free.size > 0; bin++) {
      let item = -1;
      let most = -1;
      for (const k of free) {
        const value = information[bin * candidates + k]!;
        if (value > most) [item, most] = [k, value];
      }
      if (most < threshold) continue;
      free.delete(item);
      round.push({ item, information: most });
    }
    round.sort((x, y) => y.information - x.information || x.item - y.item);
    chosen.push(...round.slice(0, count - chosen.length).map(({ item }) => item));
    if (round.length === 0 || chosen.length === count) return chosen;
  }
}

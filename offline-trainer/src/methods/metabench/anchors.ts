import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { equalShares, excluding, hardFirst, type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { copiedItems } from "../../matrix/same-text.ts";
import { chooseScreened, type FilterLimits, leastPassing, screenItems } from "../coarse-filter.ts";
import { mean } from "../../numeric/statistics.ts";
import { type ItemColumns, meanScores } from "../item-columns.ts";
import { additiveModel } from "../score-maps/additive-model.ts";
import { curveAt } from "../score-maps/b-splines.ts";
import { familyFolds } from "../score-maps/form-score-maps.ts";
import { type AnchorDesign, binnedInformation, DEFAULT_DESIGN, informationItems } from "./information.ts";

const METABENCH_LIMITS: FilterLimits = {
  leastDeviation: 0.01,
  mostAccuracy: 0.95,
  leastCorrelation: 0.05,
  mostRedundancy: 1,
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

import type { AnchorSet } from "anchoreval/core";
import { coarseFilter, type FilteredItems, type FilterLimits } from "../essence/coarse-filter.ts";
import { itemColumns, weightedScores } from "../essence/item-columns.ts";
import { equalShares, without } from "../greedy-variance.ts";
import { byAccuracy, type PreparedSelection, type SelectionInput } from "../types.ts";
import { DEFAULT_DESIGN, type AnchorDesign } from "./anchor-design.ts";
import { familyFolds } from "./family-folds.ts";
import { binnedInformation, informationItems } from "./information-items.ts";
import { subsampledItems } from "./subsampled-items.ts";

/** What metabench's screening leaves out. */
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
 * `fisher-information`: metabench's choice. Of {@link informationPool} the most informative items over the source models'
 * abilities ({@link informedAnchors}). A purposive choice, the same whatever form is drawn.
 * @see Kipnis et al. (2025), metabench, ICLR
 */
export function prepareInformation(input: SelectionInput): PreparedSelection {
  const { filtered, pool, leftPool } = informationPool(input);
  const design = input.design ?? DEFAULT_DESIGN;
  const sets = new Map(input.sizes.map((n) => [n, informedAnchors(input, pool, design, n)]));
  const second = ([n, { items }]: [number, AnchorSet]): [number, AnchorSet] => [
    n,
    informedAnchors(input, leftPool(items), design, n),
  ];
  return { draw: () => ({ sets, nested: false }), second: () => new Map([...sets].map(second)), filtered };
}

/**
 * What anchors are chosen among: items that {@link coarseFilter} leaves, and of them the subset whose mean tells most of the
 * full score ({@link subsampledItems}).
 */
export function informationPool({
  weights,
  column,
  sizes,
  random,
  families,
  copies = [],
}: Pick<SelectionInput, "weights" | "column" | "sizes" | "random" | "families" | "copies">): {
  readonly filtered: FilteredItems;
  readonly pool: Uint32Array;
  /** The same of the items that some anchors, of the pool, leave. */
  readonly leftPool: (taken: ArrayLike<number>) => Uint32Array;
} {
  const columns = itemColumns(column, weights.length);
  const full = weightedScores(columns, weights);
  const least = Math.min(weights.length, 2 * sizes.at(-1)!);
  const filtered = coarseFilter(columns, full, copies, METABENCH_LIMITS, least);
  const models = Array.from({ length: columns.models }, (_, m) => m);
  const fold = familyFolds(families ?? models, FOLDS, random.fork("folds"));
  const judged = { size: Math.max(SUBSAMPLE.size, least), draws: SUBSAMPLE.draws };
  const subset = (among: Uint32Array, stream: string): Uint32Array =>
    subsampledItems(columns, full, among, fold, judged, random.fork(stream));
  return {
    filtered,
    pool: subset(filtered.pool, "subsample"),
    leftPool: (taken) =>
      subset(Uint32Array.from(without(filtered.pool, Array.from(taken))), "subsample of a second form"),
  };
}

/** Anchors by a design, each standing for the same share. */
export function informedAnchors(
  { bank, abilities, accuracy }: Pick<SelectionInput, "bank" | "abilities" | "accuracy">,
  pool: Uint32Array,
  { grid, binsPerAnchor, threshold }: AnchorDesign,
  n: number,
): AnchorSet {
  const bins = Math.max(1, Math.round(binsPerAnchor * n));
  const informed =
    threshold === null
      ? []
      : informationItems(binnedInformation(bank, abilities, pool, grid, bins), pool.length, n, threshold);
  const chosen = new Set(informed.map((k) => pool[k]!));
  const free = new Set(pool.filter((item) => !chosen.has(item)));
  const left = byAccuracy(accuracy).filter((item) => free.has(item));
  const lacking = n - chosen.size;
  for (let k = 0; k < lacking; k++) chosen.add(left[Math.floor(((k + 0.5) * left.length) / lacking)]!);
  return equalShares(accuracy)(chosen);
}

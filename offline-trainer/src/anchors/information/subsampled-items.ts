import type { RandomSource } from "anchoreval/core";
import { meanScores, type ItemColumns } from "../essence/item-columns.ts";
import { reconstructionError } from "./reconstruction-error.ts";

/**
 * Of some random subsets of a pool the one whose mean score tells most of the full score: the least of the largest error
 * among folds of models ({@link reconstructionError}).
 * @param size - items of a subset; the whole pool where it has no more
 * @param fold - of every model
 * @returns items, ascending
 * @see Kipnis et al. (2025), metabench, ICLR, §3 (350 items, 10 000 subsets, five folds)
 */
export function subsampledItems(
  columns: ItemColumns,
  full: Float64Array,
  pool: Uint32Array,
  fold: ArrayLike<number>,
  { size, draws }: { readonly size: number; readonly draws: number },
  random: RandomSource,
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

import type { ItemColumns } from "./item-columns.ts";
import { subsetError, type SubsetFitness } from "./subset-fitness.ts";

/** Subsets of a pool of items, each with its sums of scores and its error. */
export interface Population {
  readonly size: number;
  /** size×pool, 1 where an item is in. */
  readonly masks: Uint8Array;
  /** size×models: the judging models' sums of scores over the subset. */
  readonly sums: Float64Array;
  readonly errors: Float64Array;
}

export function emptyPopulation(size: number, pool: number, models: number): Population {
  return {
    size,
    masks: new Uint8Array(size * pool),
    sums: new Float64Array(size * models),
    errors: new Float64Array(size),
  };
}

/** Adds up an individual's scores from its mask, k·M additions. */
export function sumScores(population: Population, own: number, pool: Uint32Array, columns: ItemColumns): void {
  const { models } = columns;
  const { masks, sums } = population;
  sums.fill(0, own * models, (own + 1) * models);
  for (let p = 0; p < pool.length; p++)
    if (masks[own * pool.length + p] === 1) addColumn(sums, own * models, columns, pool[p]!, 1);
}

/**
 * The same from another individual's sums, by the items in which they differ: as many additions as there are, and the
 * same to the last bit, since sums of such scores are exact.
 */
export function updateScores(
  population: Population,
  own: number,
  from: Population,
  parent: number,
  pool: Uint32Array,
  columns: ItemColumns,
): void {
  const { models } = columns;
  const { masks, sums } = population;
  sums.set(from.sums.subarray(parent * models, (parent + 1) * models), own * models);
  const here = own * pool.length;
  const there = parent * pool.length;
  for (let p = 0; p < pool.length; p++) {
    const change = masks[here + p]! - from.masks[there + p]!;
    if (change !== 0) addColumn(sums, own * models, columns, pool[p]!, change);
  }
}

/** The error of an individual whose sums are up to date. */
export function judge({ sums, errors }: Population, own: number, fitness: SubsetFitness, k: number): void {
  errors[own] = subsetError(fitness, sums, own * fitness.columns.models, k);
}

function addColumn(sums: Float64Array, at: number, { models, scores }: ItemColumns, item: number, sign: number): void {
  const begin = item * models;
  for (let m = 0; m < models; m++) sums[at + m] = sums[at + m]! + sign * scores[begin + m]!;
}

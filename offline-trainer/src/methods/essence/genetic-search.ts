import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ItemColumns } from "../item-columns.ts";
import { curveAt, type SmoothCurve } from "../score-maps/b-splines.ts";

export interface GeneticOptions {
  /** Subsets in a generation. */
  readonly population: number;
  /** Share of them that survives unchanged. */
  readonly elite: number;
  /** Contestants of the tournament for each parent. */
  readonly tournament: number;
  /** Generations at most. */
  readonly generations: number;
  /** Generations without improvement after which the search ends. */
  readonly patience: number;
}

/** A subset that was found. */
interface FoundSubset {
  /** Items, ascending as they are in the pool. */
  readonly items: Uint32Array;
  /** On the judging models, by the map that was searched with. */
  readonly error: number;
}

interface GeneticResult {
  /** The last generation's elite, the best first. */
  readonly elite: readonly FoundSubset[];
  readonly generations: number;
}

/**
 * Searches a pool for the k items with the least {@link subsetError}. In each generation the elite survives; all others are
 * children of two parents, each the winner of a tournament, by uniform crossover, mutation with probability 1/k a bit and
 * repair to exactly k items.
 * @param pool - items, at least k
 * @see arXiv 2510.10457, §3
 */
export function geneticSearch(
  pool: Uint32Array,
  k: number,
  fitness: SubsetFitness,
  options: GeneticOptions,
  random: RandomSource,
): GeneticResult {
  const { columns } = fitness;
  const size = options.population;
  const kept = Math.max(1, Math.round(options.elite * size));
  const width = pool.length;
  let now = emptyPopulation(size, width, columns.models);
  let next = emptyPopulation(size, width, columns.models);
  for (let individual = 0; individual < size; individual++) {
    repair(maskOf(now, individual, width), k, random);
    sumScores(now, individual, pool, columns);
    judge(now, individual, fitness, k);
  }
  let order = ranked(now);
  let generation = 0;
  for (let stale = 0; generation < options.generations && stale < options.patience; generation++) {
    for (let individual = 0; individual < size; individual++) {
      if (individual < kept) copy(now, order[individual]!, next, individual, width, columns.models);
      else {
        const parents = [0, 1].map(() => tournament(now.errors, options.tournament, random)) as [number, number];
        const child = maskOf(next, individual, width);
        crossover(child, maskOf(now, parents[0], width), maskOf(now, parents[1], width), random);
        mutate(child, 1 / k, random);
        repair(child, k, random);
        updateScores(next, individual, now, parents[0], pool, columns);
        judge(next, individual, fitness, k);
      }
    }
    const before = now.errors[order[0]!]!;
    [now, next] = [next, now];
    order = ranked(now);
    stale = now.errors[order[0]!]! < before ? 0 : stale + 1;
  }
  const elite = order.slice(0, kept).map((individual): FoundSubset => {
    const mask = maskOf(now, individual, width);
    return { items: pool.filter((_, p) => mask[p] === 1), error: now.errors[individual]! };
  });
  return { elite, generations: generation };
}

function maskOf({ masks }: Population, individual: number, width: number): Uint8Array {
  return masks.subarray(individual * width, (individual + 1) * width);
}

/** Individuals from the least error on; ties by number. */
function ranked({ errors }: Population): number[] {
  return Array.from(errors.keys()).sort((x, y) => errors[x]! - errors[y]! || x - y);
}

function copy(from: Population, one: number, to: Population, other: number, width: number, models: number): void {
  maskOf(to, other, width).set(maskOf(from, one, width));
  to.sums.set(from.sums.subarray(one * models, (one + 1) * models), other * models);
  to.errors[other] = from.errors[one]!;
}

/** Fitness of subsets: how far a map of their mean score is from the full score. */
interface SubsetFitness {
  /** The judging models' scores. */
  readonly columns: ItemColumns;
  /** Their full scores. */
  readonly full: Float64Array;
  /** From mean score on a subset to full score. */
  readonly map: SmoothCurve;
}

/**
 * Root mean square over the judging models of g(mean) − S.
 * @param sums - each model's sum of scores over the subset, from `begin`
 * @param size - items of the subset
 */
export function subsetError({ full, map }: SubsetFitness, sums: Float64Array, begin: number, size: number): number {
  let squares = 0;
  for (let m = 0; m < full.length; m++) squares += (curveAt(map, sums[begin + m]! / size) - full[m]!) ** 2;
  return Math.sqrt(squares / full.length);
}

/** Subsets of a pool of items, each with its sums of scores and its error. */
interface Population {
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
export function sumScores(population: Population, individual: number, pool: Uint32Array, columns: ItemColumns): void {
  const { models } = columns;
  const { masks, sums } = population;
  sums.fill(0, individual * models, (individual + 1) * models);
  for (let p = 0; p < pool.length; p++)
    if (masks[individual * pool.length + p] === 1) addColumn(sums, individual * models, columns, pool[p]!, 1);
}

/**
 * The same from another individual's sums, by the items in which they differ: as many additions as there are, and the
 * same to the last bit, since sums of such scores are exact.
 */
export function updateScores(
  population: Population,
  individual: number,
  from: Population,
  parent: number,
  pool: Uint32Array,
  columns: ItemColumns,
): void {
  const { models } = columns;
  const { masks, sums } = population;
  sums.set(from.sums.subarray(parent * models, (parent + 1) * models), individual * models);
  const here = individual * pool.length;
  const there = parent * pool.length;
  for (let p = 0; p < pool.length; p++) {
    const change = masks[here + p]! - from.masks[there + p]!;
    if (change !== 0) addColumn(sums, individual * models, columns, pool[p]!, change);
  }
}

/** The error of an individual whose sums are up to date. */
function judge({ sums, errors }: Population, individual: number, fitness: SubsetFitness, k: number): void {
  errors[individual] = subsetError(fitness, sums, individual * fitness.columns.models, k);
}

function addColumn(sums: Float64Array, at: number, { models, scores }: ItemColumns, item: number, sign: number): void {
  const begin = item * models;
  for (let m = 0; m < models; m++) sums[at + m] = sums[at + m]! + sign * scores[begin + m]!;
}

/**
 * The best of some individuals drawn with replacement.
 * @param errors - of all @param contestants - how many are drawn
 */
export function tournament(errors: Float64Array, contestants: number, random: RandomSource): number {
  let best = random.below(errors.length);
  for (let k = 1; k < contestants; k++) {
    const other = random.below(errors.length);
    if (errors[other]! < errors[best]! || (errors[other] === errors[best] && other < best)) best = other;
  }
  return best;
}

/** Uniform crossover: each bit from either parent with probability ½. */
export function crossover(child: Uint8Array, one: Uint8Array, other: Uint8Array, random: RandomSource): void {
  let coins = 1; // a leading one above the bits that are left
  for (let p = 0; p < child.length; p++) {
    child[p] = one[p]!;
    if (one[p] === other[p]) continue;
    if (coins === 1) coins = random.below(2 ** 24) + 2 ** 24;
    if ((coins & 1) === 1) child[p] = other[p]!;
    coins >>>= 1;
  }
}

/** Flips each bit with a probability: goes from flip to flip by geometric steps. */
export function mutate(child: Uint8Array, rate: number, random: RandomSource): void {
  if (rate >= 1) {
    for (let p = 0; p < child.length; p++) child[p] = 1 - child[p]!;
    return;
  }
  const scale = 1 / Math.log1p(-rate);
  const step = (): number => Math.floor(Math.log1p(-random.next()) * scale);
  for (let p = step(); p < child.length; p += 1 + step()) child[p] = 1 - child[p]!;
}

/**
 * Brings a mask to exactly k ones: takes random ones out or puts random others in, all alike likely.
 * @param k - at most the mask's length
 */
export function repair(child: Uint8Array, k: number, random: RandomSource): void {
  let ones = 0;
  for (let p = 0; p < child.length; p++) ones += child[p]!;
  if (ones === k) return;
  const wrong = ones > k ? 1 : 0;
  const places: number[] = [];
  for (let p = 0; p < child.length; p++) if (child[p] === wrong) places.push(p);
  for (let left = Math.abs(ones - k), rest = places.length; left > 0; left--, rest--) {
    const drawn = random.below(rest);
    child[places[drawn]!] = 1 - wrong;
    places[drawn] = places[rest - 1]!;
  }
}

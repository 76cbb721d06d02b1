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

/** Fitness of subsets: how far a map of their mean score is from the full score. */
interface SubsetFitness {
  readonly columns: ItemColumns;
  readonly full: Float64Array;
  /** From mean score on a subset to full score. */
  readonly map: SmoothCurve;
}

interface Individual {
  /** By place in the pool, 1 where an item is in. */
  readonly mask: Uint8Array;
  /** The judging models' sums of scores over the subset. */
  readonly sums: Float64Array;
  error: number;
}

/**
 * Searches a pool for the k items with the least {@link subsetError}. In each generation the elite survives; all others are
 * children of two parents, each the winner of a tournament, by uniform crossover, mutation with probability 1/k a bit and
 * repair to exactly k items.
 * @param pool - items, at least k
 * @returns the last generation's elite, the best first: items as they are in the pool, error on the judging models
 * @see arXiv 2510.10457, §3
 */
export function geneticSearch(
  pool: Uint32Array,
  k: number,
  fitness: SubsetFitness,
  { population, elite, tournament: contestants, generations, patience }: GeneticOptions,
  random: RandomSource,
) {
  const { columns } = fitness;
  const empty = (): Individual => emptySubset(pool.length, columns.models);
  const judge = (child: Individual, parent: Individual): void => {
    sumScores(child, parent, pool, columns);
    child.error = subsetError(fitness, child.sums, k);
  };
  const kept = Math.max(1, Math.round(elite * population));
  let [now, next] = [0, 1].map(() => Array.from({ length: population }, empty)) as [Individual[], Individual[]];
  for (const individual of now) {
    repair(individual.mask, k, random);
    judge(individual, empty());
  }
  let ranked = byError(now);
  let generation = 0;
  for (let stale = 0; generation < generations && stale < patience; generation++) {
    for (const [place, child] of next.entries()) {
      if (place < kept) copy(ranked[place]!, child);
      else {
        const one = tournament(now, contestants, random);
        const other = tournament(now, contestants, random);
        crossover(child.mask, one.mask, other.mask, random);
        mutate(child.mask, 1 / k, random);
        repair(child.mask, k, random);
        judge(child, one);
      }
    }
    const before = ranked[0]!.error;
    [now, next] = [next, now];
    ranked = byError(now);
    stale = ranked[0]!.error < before ? 0 : stale + 1;
  }
  const best = ranked.slice(0, kept);
  return {
    elite: best.map(({ mask, error }) => ({ items: pool.filter((_, p) => mask[p] === 1), error })),
    generations: generation,
  };
}

export function emptySubset(pool: number, models: number): Individual {
  return { mask: new Uint8Array(pool), sums: new Float64Array(models), error: NaN };
}

/** From the least error on; ties by number. */
function byError(population: readonly Individual[]): Individual[] {
  return population.toSorted((x, y) => x.error - y.error);
}

function copy({ mask, sums, error }: Individual, to: Individual): void {
  to.mask.set(mask);
  to.sums.set(sums);
  to.error = error;
}

/** Root mean square over the judging models of g(mean) − S. @param sums - each model's sum of scores over a subset */
export function subsetError(
  { full, map }: Pick<SubsetFitness, "full" | "map">,
  sums: Float64Array,
  size: number,
): number {
  let squares = 0;
  for (let m = 0; m < full.length; m++) squares += (curveAt(map, sums[m]! / size) - full[m]!) ** 2;
  return Math.sqrt(squares / full.length);
}

/**
 * A subset's sums of scores from another's, by the items in which they differ: as many additions as there are, and the same
 * to the last bit as adding them up anew ({@link itemColumns}).
 */
export function sumScores(
  child: Individual,
  from: Individual,
  pool: Uint32Array,
  { models, scores }: ItemColumns,
): void {
  const { mask, sums } = child;
  sums.set(from.sums);
  for (let p = 0; p < pool.length; p++) {
    const change = mask[p]! - from.mask[p]!;
    if (change === 0) continue;
    const begin = pool[p]! * models;
    for (let m = 0; m < models; m++) sums[m] = sums[m]! + change * scores[begin + m]!;
  }
}

/** The best of some individuals drawn with replacement, the first of equals. */
export function tournament<Own extends { readonly error: number }>(
  population: readonly Own[],
  contestants: number,
  random: RandomSource,
): Own {
  let best = random.below(population.length);
  for (let k = 1; k < contestants; k++) {
    const other = random.below(population.length);
    const gain = population[best]!.error - population[other]!.error;
    if (gain > 0 || (gain === 0 && other < best)) best = other;
  }
  return population[best]!;
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

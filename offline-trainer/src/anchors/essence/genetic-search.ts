import type { RandomSource } from "anchoreval/core";
import { crossover, mutate, repair, tournament } from "./breed.ts";
import { emptyPopulation, judge, sumScores, updateScores, type Population } from "./population.ts";
import type { SubsetFitness } from "./subset-fitness.ts";

export interface GeneticOptions {
  /** Subsets in a generation. */
  readonly population: number;
  /** Share of them that is kept as it is. */
  readonly elite: number;
  /** Subsets that a parent is the best of. */
  readonly tournament: number;
  /** Generations at most. */
  readonly generations: number;
  /** Generations without a better subset after which the search ends. */
  readonly patience: number;
}

/** A subset that was found. */
export interface FoundSubset {
  /** Items, ascending as they are in the pool. */
  readonly items: Uint32Array;
  /** On the judging models, by the map that was searched with. */
  readonly error: number;
}

export interface GeneticResult {
  /** The last generation's elite, the best first. */
  readonly elite: readonly FoundSubset[];
  readonly generations: number;
}

/**
 * Looks for the k items of a pool with the least {@link subsetError}: the elite stays, all others are children of two
 * parents, each the best of a few: uniform crossover, each bit flipped with probability 1/k, repaired to exactly k.
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
  for (let own = 0; own < size; own++) {
    repair(maskOf(now, own, width), k, random);
    sumScores(now, own, pool, columns);
    judge(now, own, fitness, k);
  }
  let order = ranked(now);
  let generation = 0;
  for (let stale = 0; generation < options.generations && stale < options.patience; generation++) {
    for (let own = 0; own < size; own++) {
      if (own < kept) copy(now, order[own]!, next, own, width, columns.models);
      else {
        const parents = [0, 1].map(() => tournament(now.errors, options.tournament, random)) as [number, number];
        const child = maskOf(next, own, width);
        crossover(child, maskOf(now, parents[0], width), maskOf(now, parents[1], width), random);
        mutate(child, 1 / k, random);
        repair(child, k, random);
        updateScores(next, own, now, parents[0], pool, columns);
        judge(next, own, fitness, k);
      }
    }
    const before = now.errors[order[0]!]!;
    [now, next] = [next, now];
    order = ranked(now);
    stale = now.errors[order[0]!]! < before ? 0 : stale + 1;
  }
  const elite = order.slice(0, kept).map((own): FoundSubset => {
    const mask = maskOf(now, own, width);
    return { items: pool.filter((_, p) => mask[p] === 1), error: now.errors[own]! };
  });
  return { elite, generations: generation };
}

function maskOf({ masks }: Population, own: number, width: number): Uint8Array {
  return masks.subarray(own * width, (own + 1) * width);
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

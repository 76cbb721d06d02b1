import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  crossover,
  emptySubset,
  geneticSearch,
  mutate,
  repair,
  sumScores,
  tournament,
} from "../../../../offline-trainer/src/methods/essence/genetic-search.ts";
import { itemColumns, meanScores } from "../../../../offline-trainer/src/methods/item-columns.ts";
import { curveAt } from "../../../../offline-trainer/src/methods/score-maps/b-splines.ts";
import { smoothMap } from "../../../../offline-trainer/src/methods/score-maps/penalised-spline.ts";
import { drawnColumns } from "../drawn-columns.ts";

const { columns, full, pool } = drawnColumns("genetic search", 24, 60);
const fitness = { columns, full, map: smoothMap(meanScores(columns, pool), full) };
const options = { population: 40, elite: 0.1, tournament: 3, generations: 30, patience: 30 };

/** RMSE of the mapped mean score, as it is defined. */
const plainError = (items: Uint32Array): number => {
  const mean = (m: number): number =>
    items.reduce((sum, item) => sum + columns.scores[item * 24 + m]!, 0) / items.length;
  return Math.sqrt(full.reduce((sum, score, m) => sum + (curveAt(fitness.map, mean(m)) - score) ** 2, 0) / 24);
};

describe("genetic search", () => {
  test("errors are those of the definition; subsets have k items, once each, out of the pool", () => {
    const part = pool.filter((item) => item % 3 !== 0);
    for (const k of [1, 7, 39, 40]) {
      const { elite } = geneticSearch(part, k, fitness, options, createRandom(k));
      expect(elite.length).toBe(4);
      for (const { items, error } of elite) {
        expect(new Set(items).size).toBe(k);
        expect(Array.from(items).every((item) => part.includes(item))).toBe(true);
        expect(error).toBeCloseTo(plainError(items), 13);
      }
      expect(elite.map(({ error }) => error)).toEqual(elite.map(({ error }) => error).toSorted((x, y) => x - y));
    }
  });

  test("never loses the best: with more generations of the same stream it errs no more", () => {
    let before = Infinity;
    for (let generations = 0; generations <= 20; generations++) {
      const { elite } = geneticSearch(pool, 12, fitness, { ...options, generations }, createRandom("elite"));
      expect(elite[0]!.error).toBeLessThanOrEqual(before);
      before = elite[0]!.error;
    }
    const { elite } = geneticSearch(pool, 12, fitness, { ...options, generations: 0 }, createRandom("elite"));
    expect(before).toBeLessThan(0.8 * elite[0]!.error);
  });

  test("ends when nothing better came for as long as its patience lasts", () => {
    const patient = geneticSearch(pool, 60, fitness, { ...options, patience: 5 }, createRandom(1));
    expect(patient.generations).toBe(5); // all 60 items: there is one subset
    expect(geneticSearch(pool, 12, fitness, { ...options, generations: 7 }, createRandom(1)).generations).toBe(7);
  });

  test("is the same with the same stream, another with another", () => {
    const search = (seed: number): unknown => geneticSearch(pool, 12, fitness, options, createRandom(seed)).elite;
    expect(search(1)).toEqual(search(1));
    expect(search(1)).not.toEqual(search(2));
  });

  test("sums kept up to date are those added up anew, to the last bit, also of graded scores", () => {
    const random = createRandom("sums");
    const graded = itemColumns(() => Float64Array.from({ length: 9 }, () => random.next()), 30);
    const all = Uint32Array.from({ length: 30 }, (_, i) => i);
    let kept = emptySubset(30, 9);
    for (let step = 0; step < 200; step++) {
      const mask = Uint8Array.from({ length: 30 }, () => random.below(2));
      const [next, anew] = [0, 1].map(() => ({ ...emptySubset(30, 9), mask }));
      sumScores(next!, kept, all, graded);
      sumScores(anew!, emptySubset(30, 9), all, graded);
      expect(next!.sums).toEqual(anew!.sums);
      kept = next!;
    }
  });
});

const sum = (mask: Uint8Array): number => mask.reduce((total, bit) => total + bit, 0);
const arbMask = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length, max: 1 });

describe("breeding", () => {
  test("repair makes any mask one of exactly k, and changes no more bits than it must", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }).chain((n) => fc.tuple(arbMask(n), fc.integer({ min: 0, max: n }))),
        fc.integer(),
        ([mask, k], seed) => {
          const before = mask.slice();
          repair(mask, k, createRandom(seed));
          expect(sum(mask)).toBe(k);
          expect(mask.filter((bit, p) => bit !== before[p]).length).toBe(Math.abs(sum(before) - k));
        },
      ),
    );
  });

  test("repair takes out and puts in all alike often", () => {
    for (const [ones, k] of [
      [8, 4],
      [0, 4],
    ] as const) {
      const counts = new Float64Array(8);
      const random = createRandom("repair");
      for (let draw = 0; draw < 4000; draw++) {
        const mask = Uint8Array.from({ length: 8 }, (_, p) => (p < ones ? 1 : 0));
        repair(mask, k, random);
        mask.forEach((bit, p) => (counts[p]! += bit));
      }
      // Half of 4000, standard deviation 32
      for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(5 * 32);
    }
  });

  test("a child has from both parents what they share, and of the rest half from either", () => {
    const random = createRandom("crossover");
    const one = Uint8Array.from({ length: 100 }, (_, p) => (p < 60 ? 1 : 0));
    const other = Uint8Array.from({ length: 100 }, (_, p) => (p >= 40 ? 1 : 0));
    const child = new Uint8Array(100);
    const counts = new Float64Array(100);
    for (let draw = 0; draw < 2000; draw++) {
      crossover(child, one, other, random);
      for (let p = 40; p < 60; p++) expect(child[p]).toBe(1);
      child.forEach((bit, p) => (counts[p]! += bit));
    }
    // Half of 2000, standard deviation 22
    for (let p = 0; p < 40; p++) expect(Math.abs(counts[p]! - 1000)).toBeLessThan(5 * 22);
    for (let p = 60; p < 100; p++) expect(Math.abs(counts[p]! - 1000)).toBeLessThan(5 * 22);
  });

  test("mutation flips each bit with its probability, also 1", () => {
    const random = createRandom("mutation");
    const counts = new Float64Array(50);
    for (let draw = 0; draw < 10_000; draw++) {
      const mask = new Uint8Array(50);
      mutate(mask, 0.1, random);
      mask.forEach((bit, p) => (counts[p]! += bit));
    }
    // 1000, standard deviation 30
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(5 * 30);
    const mask = Uint8Array.of(0, 1, 1);
    mutate(mask, 1, random);
    expect(Array.from(mask)).toEqual([1, 0, 0]);
  });

  test("the best of three wins: the lowest of n with probability 1 − (1 − 1/n)³", () => {
    const random = createRandom("tournament");
    const population = [3, 1, 2, 1].map((error, at) => ({ error, at }));
    const wins = new Float64Array(4);
    for (let draw = 0; draw < 4000; draw++) wins[tournament(population, 3, random).at]! += 1;
    // Of the two equally good the first one wins wherever it is drawn: 1 − (3/4)³ = .578, sd 31
    expect(Math.abs(wins[1]! - 4000 * 0.578125)).toBeLessThan(5 * 31);
    expect(wins[0]! / 4000).toBeCloseTo(1 / 64, 1);
  });
});

import { createRandom } from "anchoreval/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crossover, mutate, repair, tournament } from "../../../../offline-trainer/src/methods/essence/genetic-search.ts";

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
    const errors = Float64Array.of(3, 1, 2, 1);
    const wins = new Float64Array(4);
    for (let draw = 0; draw < 4000; draw++) wins[tournament(errors, 3, random)]! += 1;
    // Of the two equally good the first one wins wherever it is drawn: 1 − (3/4)³ = .578, sd 31
    expect(Math.abs(wins[1]! - 4000 * 0.578125)).toBeLessThan(5 * 31);
    expect(wins[0]! / 4000).toBeCloseTo(1 / 64, 1);
  });
});

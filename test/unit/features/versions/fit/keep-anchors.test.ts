import fc from "fast-check";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { inclusionProbabilities, pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { describe, expect, test } from "vitest";
import { coordinateSamples, keepSampled } from "../../../../../features/versions/fit/keep-anchors.ts";
import { stratified } from "../../../../../offline-trainer/src/anchors/stratified.ts";
import type {
  AnchorInput,
  ChosenAnchors,
  SampleCoordination,
} from "../../../../../offline-trainer/src/anchors/anchor-method.ts";

const sum = (values: Iterable<number>): number => Array.from(values).reduce((total, own) => total + own, 0);

/** A version of `stays` items of an earlier one, `goes` that left it and `comes` that are new, in a random order. */
interface Change {
  readonly seed: number;
  readonly stays: number;
  readonly goes: number;
  readonly comes: number;
  readonly size: number;
  readonly heavy: boolean;
}

const change: fc.Arbitrary<Change> = fc
  .record({
    seed: fc.nat(),
    stays: fc.integer({ min: 5, max: 60 }),
    goes: fc.nat(20),
    comes: fc.nat(20),
    share: fc.double({ min: 0.05, max: 0.9, noNaN: true }),
    heavy: fc.boolean(),
  })
  .map(({ share, ...own }) => ({ ...own, size: Math.max(1, Math.floor(share * own.stays)) }));

function draw({ seed, stays, goes, comes, size, heavy }: Change) {
  const random = createRandom(seed);
  const weights = Float64Array.from({ length: stays + goes + comes }, () => (heavy ? 1 + 3 * random.next() : 1));
  const place = random.shuffle(Array.from(weights.keys()));
  const isOld = (item: number): boolean => item < stays + goes;
  const isNow = (item: number): boolean => item < stays || !isOld(item);
  const before = place.filter(isOld);
  const first = inclusionProbabilities(weights.subarray(0, stays + goes), size);
  const anchors = new Set(
    pivotalSample(
      before.map((item) => first[item]!),
      random.fork("before"),
    ).map((k) => before[k]!),
  );
  const pool = place.filter(isNow);
  const own = inclusionProbabilities(
    Float64Array.from(pool, (item) => weights[item]!),
    size,
  );
  const kept = new Set(Array.from(anchors).filter(isNow));
  const probabilities = keepSampled(pool, own, kept, (item) => !isOld(item));
  return { pool, own, kept, probabilities, isOld, random };
}

describe("probabilities that keep anchors", () => {
  test("are probabilities with a whole sum, the form's size", () => {
    fc.assert(
      fc.property(change, (given) => {
        const { probabilities } = draw(given);
        expect(Math.min(...probabilities)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...probabilities)).toBeLessThanOrEqual(1 + 1e-9);
        expect(sum(probabilities)).toBeCloseTo(given.size, 8);
      }),
    );
  });

  test("keep every anchor where nothing is new, and where enough of them are gone", () => {
    fc.assert(
      fc.property(change, (given) => {
        const { pool, own, kept, probabilities, isOld } = draw(given);
        const expected = sum(own.filter((_, k) => !isOld(pool[k]!)));
        fc.pre(given.size - kept.size > expected + 1e-9 || given.comes === 0);
        const certain = pool.flatMap((item, k) => (probabilities[k]! > 1 - 1e-9 ? [item] : []));
        expect(certain).toEqual(expect.arrayContaining([...kept]));
      }),
    );
  });

  test("over both draws, every item is an anchor about as often as a new draw would have it", () => {
    const given = { stays: 60, goes: 12, comes: 12, size: 18, heavy: false };
    const draws = 2000;
    const counts = { old: 0, fresh: 0, kept: 0 };
    for (let seed = 0; seed < draws; seed++) {
      const { pool, kept, probabilities, isOld, random } = draw({ ...given, seed });
      const sample = pivotalSample(probabilities, random.fork("now")).map((k) => pool[k]!);
      expect(sample).toHaveLength(given.size);
      counts.fresh += sample.filter((item) => !isOld(item)).length;
      counts.old += sample.filter(isOld).length;
      counts.kept += sample.filter((item) => kept.has(item)).length;
    }
    const wanted = (18 * 12) / 72;
    expect(counts.fresh / draws).toBeGreaterThan(0.9 * wanted);
    expect(counts.fresh / draws).toBeLessThan(1.1 * wanted);
    expect(counts.kept / counts.old).toBeGreaterThan(0.9);
  });

  test("a lost anchor's place goes to an item near it", () => {
    const pool = Array.from({ length: 40 }, (_, i) => i);
    const own = new Float64Array(40).fill(0.1); // runs of ten items, one anchor each
    const kept = new Set([4, 15, 37]); // the anchor of 20 to 29 is gone
    const probabilities = keepSampled(pool, own, kept, () => false);
    for (const k of pool) {
      const wanted = kept.has(k) ? 1 : k >= 20 && k < 30 ? 0.1 : 0;
      expect(probabilities[k]).toBeCloseTo(wanted, 9);
    }
  });
});

describe("sizes that the earlier version didn't have", () => {
  const count = 60;
  const weights = Float64Array.from({ length: count }, (_, i) => (1 + (i % 3)) / (2 * count));
  const accuracy = Float64Array.from({ length: count }, (_, i) => (((i * 37) % count) + 0.5) / count);
  const shared = { weights, accuracy } as unknown as AnchorInput;
  const sample = (
    sizes: readonly number[],
    random: RandomSource,
    coordination?: SampleCoordination,
  ): Map<number, number[]> => {
    const prepared = stratified.prepare({ ...shared, sizes, ...(coordination && { coordination }) });
    const { sets } = prepared.draw(random) as ChosenAnchors;
    return new Map(Array.from(sets, ([size, { items }]) => [size, Array.from(items)]));
  };

  test("lie between those that it had: the next smaller one's anchors within, all of the next larger one's; with their own probabilities", () => {
    const draws = 1500;
    const counts = new Map([10, 30].map((size) => [size, new Float64Array(count)]));
    for (let seed = 0; seed < draws; seed++) {
      const random = createRandom(seed);
      const before = sample([6, 18], random.fork("before"));
      const coordination = coordinateSamples({
        kept: new Map(Array.from(before, ([size, items]) => [size, new Set(items)])),
        fresh: new Uint8Array(count),
      });
      const now = sample([10, 30], random.fork("now"), coordination);
      expect([...now.keys()].sort((x, y) => x - y)).toEqual([10, 30]);
      expect(now.get(10)).toEqual(expect.arrayContaining(before.get(6)!));
      expect(before.get(18)).toEqual(expect.arrayContaining(now.get(10)!));
      expect(now.get(30)).toEqual(expect.arrayContaining(before.get(18)!));
      for (const [size, seen] of counts) for (const item of now.get(size)!) seen[item]! += 1 / draws;
    }
    for (const [size, seen] of counts) {
      const wanted = inclusionProbabilities(weights, size);
      const far = Array.from(seen, (share, i) => share / wanted[i]! - 1);
      expect(Math.abs(sum(far)) / count).toBeLessThan(0.02);
      expect(Math.max(...far.map(Math.abs))).toBeLessThan(0.3); // about π: the earlier draw's runs are not these
    }
  });
});

import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  stratified,
  tiltedSamples,
  tiltedWeights,
  nestedLevels,
} from "../../../offline-trainer/src/anchors/stratified.ts";
import { randomItems } from "../../../offline-trainer/src/methods/random-items.ts";
import type { AnchorInput, AnchorMethod, ChosenAnchors } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { expectBinomial } from "../../support/binomial.ts";
import { anchorInputOf, anchorInput } from "../../support/select-anchors.ts";
import { MOST_TILT, inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import fc from "fast-check";

const DRAWS = 10_000;

/** Twelve items of very unequal weights: at 9 anchors five are certain, at 6 two, at 3 none. */
const weights = Float64Array.of(0.2, 0.02, 0.05, 0.15, 0.03, 0.12, 0.04, 0.01, 0.16, 0.08, 0.06, 0.08);
const accuracy = Float64Array.of(0.9, 0.1, 0.5, 0.3, 0.7, NaN, 0.2, 0.8, 0.4, 0.6, 0.95, 0.5);
const scores = Float64Array.of(1, 0, 0.5, 0, 1, 1, 0, 0.25, 1, 0, 1, 0);
const sizes = [3, 6, 9];

/** π = min(1, c·w) with the c that makes them sum to n, by bisection. */
function expectedInclusion(own: Float64Array, n: number): Float64Array {
  let [low, high] = [0, n / Math.min(...own)];
  for (let k = 0; k < 200; k++) {
    const c = (low + high) / 2;
    if (own.reduce((total, w) => total + Math.min(1, c * w), 0) < n) low = c;
    else high = c;
  }
  return own.map((w) => Math.min(1, high * w));
}

const input = (own: Float64Array, at: readonly number[], seed: number | string): AnchorInput =>
  anchorInputOf({
    weights: own,
    accuracy: accuracy.slice(0, own.length),
    bank: itemBank(new Float64Array(own.length), new Float64Array(own.length)),
    abilities: Float64Array.of(-1, 0, 1),
    column: () => new Float64Array(0),
    sizes: at,
    random: createRandom(seed),
  });

const draw = (method: AnchorMethod, given: AnchorInput): ChosenAnchors =>
  method.prepare(given).draw(given.random) as ChosenAnchors;

describe.each([stratified, randomItems])("$name", (method) => {
  test("draws every item with its own probability at every nested size", () => {
    const counts = new Map(sizes.map((n) => [n, new Float64Array(12)]));
    const totals = new Map(sizes.map((n) => [n, { sum: 0, squares: 0 }]));
    for (let k = 0; k < DRAWS; k++) {
      const { sets } = draw(method, input(weights, sizes, `${method.name} ${k}`));
      for (const n of sizes) {
        const { items, mass } = sets.get(n)!;
        let total = 0;
        items.forEach((item, j) => {
          counts.get(n)![item]! += 1;
          total += mass[j]! * scores[item]!;
        });
        const own = totals.get(n)!;
        own.sum += total;
        own.squares += total * total;
      }
    }
    const truth = scores.reduce((total, score, i) => total + weights[i]! * score, 0);
    for (const n of sizes) {
      const expected = expectedInclusion(weights, n);
      expected.forEach((probability, i) => {
        if (probability > 1 - 1e-9) expect(counts.get(n)![i]).toBe(DRAWS);
        else expectBinomial(counts.get(n)![i]!, DRAWS, probability);
      });
      // The masses w/π make the total unbiased, at every size.
      const { sum, squares } = totals.get(n)!;
      const mean = sum / DRAWS;
      expect(Math.abs(mean - truth)).toBeLessThan(4.5 * Math.sqrt((squares / DRAWS - mean * mean) / DRAWS));
    }
    expect(expectedInclusion(weights, 9).filter((probability) => probability > 1 - 1e-9).length).toBeGreaterThan(3);
    expect(expectedInclusion(weights, 3).filter((probability) => probability > 1 - 1e-9).length).toBe(0);
  });

  test("states these probabilities", () => {
    const { sets } = draw(method, input(weights, sizes, "stated"));
    for (const n of sizes) {
      const expected = expectedInclusion(weights, n);
      const { items, inclusion, mass } = sets.get(n)!;
      items.forEach((item, j) => {
        expect(inclusion![j]).toBeCloseTo(expected[item]!, 12);
        expect(mass[j]).toBeCloseTo(weights[item]! / expected[item]!, 12);
      });
    }
  });
});

test("stratified holds in every first part of the items by accuracy its share of the probability", () => {
  const order = Array.from(accuracy.keys()).sort((x, y) => (accuracy[x]! || 0.5) - (accuracy[y]! || 0.5) || x - y);
  for (const n of sizes) {
    const inclusion = expectedInclusion(weights, n);
    for (let k = 0; k < 500; k++) {
      // One size at a time: a smaller one is spread along the larger one's draws, not along all items.
      const { items } = draw(stratified, input(weights, [n], k)).sets.get(n)!;
      let [count, cumulated] = [0, 0];
      for (const item of order) {
        cumulated += inclusion[item]!;
        if (items.includes(item)) count++;
        expect(count).toBeGreaterThanOrEqual(Math.floor(cumulated + 1e-9));
        expect(count).toBeLessThanOrEqual(Math.ceil(cumulated - 1e-9));
      }
    }
  }
});

test("stratified is less uneven in accuracy than random", () => {
  const even = new Float64Array(12).fill(1 / 12);
  const spread = (method: AnchorMethod): number => {
    let squares = 0;
    for (let k = 0; k < 2000; k++) {
      const { items } = draw(method, input(even, [6], k)).sets.get(6)!;
      const mean = items.reduce((sum, item) => sum + (accuracy[item]! || 0.5), 0) / 6;
      squares += (mean - accuracy.reduce((sum, value) => sum + (value || 0.5), 0) / 12) ** 2;
    }
    return Math.sqrt(squares / 2000);
  };
  expect(spread(stratified)).toBeLessThan(0.4 * spread(randomItems));
});

test("random with equal weights is simple random sampling: all 20 sets of 3 from 6, and all 15 pairs within", () => {
  const even = new Float64Array(6).fill(1 / 6);
  const counts = { 3: new Map<string, number>(), 2: new Map<string, number>() };
  for (let k = 0; k < DRAWS; k++) {
    const { sets } = draw(randomItems, input(even, [2, 3], `simple ${k}`));
    for (const n of [2, 3] as const) {
      const key = Array.from(sets.get(n)!.items).sort().join();
      counts[n].set(key, (counts[n].get(key) ?? 0) + 1);
    }
  }
  for (const [n, number] of [
    [3, 20],
    [2, 15],
  ] as const) {
    expect(counts[n].size).toBe(number);
    for (const count of counts[n].values()) expectBinomial(count, DRAWS, 1 / number);
  }
});

const sum = (values: Iterable<number>): number => [...values].reduce((total, own) => total + own, 0);

/** Items with a weight and a measure, which may be 0. */
const items = fc.array(
  fc.record({
    weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
    measure: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { minLength: 2, maxLength: 60 },
);

test("what is drawn by sums to the weights, each between a quarter and four times its own, in the measure's order", () => {
  fc.assert(
    fc.property(items, (own) => {
      const weights = Float64Array.from(own, ({ weight }) => weight);
      const measure = Float64Array.from(own, ({ measure }) => measure);
      const tilts = tiltedWeights(weights, measure).map((value, i) => value / weights[i]!);
      expect(sum(tilts.map((tilt, i) => tilt * weights[i]!)) / sum(weights)).toBeCloseTo(1, 12);
      tilts.forEach((tilt, i) => {
        expect(tilt).toBeGreaterThanOrEqual((1 - 1e-12) / MOST_TILT);
        expect(tilt).toBeLessThanOrEqual((1 + 1e-12) * MOST_TILT);
        tilts.forEach((other, j) => measure[i]! < measure[j]! && expect(tilt).toBeLessThanOrEqual(other + 1e-12));
      });
    }),
  );
});

test("between the bounds it is in proportion to weight × measure", () => {
  const count = 100;
  const weights = Float64Array.from({ length: count }, (_, i) => 1 + (i % 3));
  const measure = Float64Array.from({ length: count }, (_, i) => i ** 2);
  const tilts = tiltedWeights(weights, measure).map((value, i) => value / weights[i]!);
  const open = [...tilts.keys()].filter((i) => tilts[i]! > 1.001 / MOST_TILT && tilts[i]! < 0.999 * MOST_TILT);
  expect(open.length).toBeGreaterThan(30);
  for (const i of open) expect(tilts[i]! / measure[i]!).toBeCloseTo(tilts[open[0]!]! / measure[open[0]!]!, 12);
  expect(Math.min(...tilts)).toBe(1 / MOST_TILT);
});

test("an even measure, or none, is the even draw", () => {
  const weights = Float64Array.of(5, 1, 1, 1, 1);
  for (const measure of [new Float64Array(5), new Float64Array(5).fill(0.3)])
    tiltedWeights(weights, measure).forEach((own, i) => expect(own).toBeCloseTo(weights[i]!, 12));
});

test("a few items that tell everything are drawn four times as often as evenly, no more", () => {
  const measure = Float64Array.from({ length: 100 }, (_, i) => (i < 5 ? 1 : 0));
  const inclusion = inclusionProbabilities(tiltedWeights(new Float64Array(100).fill(0.01), measure), 20);
  inclusion.forEach((own, i) => expect(own).toBeCloseTo(i < 5 ? 0.8 : 16 / 95, 9));
});

test("draws every item with its stated probability at every nested size; the total is unbiased", () => {
  const draws = 5000;
  const random = createRandom("tilted draws");
  const measure = Float64Array.from({ length: 40 }, () => random.next() ** 3);
  const score = Float64Array.from({ length: 40 }, () => Math.round(random.next()));
  const input = anchorInput({ sizes: [5, 12, 30] });
  const { draw } = tiltedSamples(input, measure);
  const truth = sum(score.map((own, i) => own * input.weights[i]!));
  const levels = nestedLevels(tiltedWeights(input.weights, measure), input.sizes);
  const counts = levels.map(() => new Float64Array(40));
  const totals = levels.map(() => [] as number[]);
  for (let k = 0; k < draws; k++) {
    const { sets } = draw(random.fork(`draw ${k}`)) as ChosenAnchors;
    let outer: ArrayLike<number> = Uint32Array.from(measure.keys());
    levels.forEach(({ size, inclusion }, l) => {
      const { items, mass, inclusion: stated } = sets.get(size)!;
      items.forEach((item) => (counts[l]![item]! += 1));
      totals[l]!.push(sum(Array.from(items, (item, j) => mass[j]! * score[item]!)));
      if (k < 10) {
        expect(items.length).toBe(size);
        expect(Array.from(outer)).toEqual(expect.arrayContaining([...items]));
        expect(stated).toEqual(Float64Array.from(items, (item) => inclusion[item]!));
        expect(mass).toEqual(Float64Array.from(items, (item) => input.weights[item]! / inclusion[item]!));
      }
      outer = items;
    });
  }
  levels.forEach(({ size, inclusion }, l) => {
    expect(sum(inclusion)).toBeCloseTo(size, 9);
    inclusion.forEach((own, i) => {
      if (own > 1 - 1e-9) expect(counts[l]![i]).toBe(draws);
      else expectBinomial(counts[l]![i]!, draws, own);
    });
    const mean = sum(totals[l]!) / draws;
    const variance = sum(totals[l]!.map((own) => (own - mean) ** 2)) / draws;
    expect(Math.abs(mean - truth)).toBeLessThan(4.5 * Math.sqrt(variance / draws));
  });
});

import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difficultyColumns, itemProfile } from "../../../../offline-trainer/src/methods/sublime/profile.ts";
import { type Sampler, samplers } from "../../../../offline-trainer/src/methods/sublime/choose-subset.ts";
import { drawnColumns } from "../drawn-columns.ts";

const ITEMS = 60;
const { columns: anchors, full } = drawnColumns("samplers", 8, ITEMS);
const random = createRandom("weights");
const raw = Float64Array.from({ length: ITEMS }, () => 0.5 + random.next());
const total = raw.reduce((sum, value) => sum + value, 0);
const weights = raw.map((value) => value / total);
const profile = itemProfile({ weights, points: null }, anchors, full, createRandom("profile"));
const all = samplers(profile);
const named = (name: string): Sampler => all.find((own) => own.name === name)!;
const draws = (name: string, k: number, times: number): Uint32Array[] =>
  Array.from({ length: times }, (_, t) => named(name).draw(k, createRandom(`${name} ${t}`)));

describe("an item profile", () => {
  test("has the anchor models' difficulty, disagreement and discrimination, standardised, where they vary", () => {
    expect(profile.columns.map(({ name }) => name)).toEqual(["difficulty", "disagreement", "discrimination"]);
    for (const { values } of profile.columns) {
      const mean = (of: (value: number) => number): number =>
        values.reduce((sum, value, i) => sum + weights[i]! * of(value), 0);
      expect(mean((value) => value)).toBeCloseTo(0, 12);
      expect(mean((value) => value ** 2)).toBeCloseTo(1, 12);
    }
    const same = { ...anchors, scores: new Float64Array(anchors.scores.length).fill(1) };
    const flat = itemProfile({ weights, points: null }, same, new Float64Array(8).fill(1), createRandom("flat"));
    expect(flat.columns).toEqual([]);
  });

  test("difficulty is the share wrong, disagreement its variance, discrimination a correlation", () => {
    const scores = Float64Array.of(1, 1, 0, 0, 1, 0, 1, 1, 1);
    const [difficulty, disagreement, discrimination] = difficultyColumns(
      { models: 3, items: 3, scores },
      Float64Array.of(0.9, 0.5, 0.1),
    );
    expect(Array.from(difficulty!.values, (value) => 3 * value)).toEqual(
      [1, 2, 0].map((own) => expect.closeTo(own, 12) as number),
    );
    expect(disagreement!.values[0]).toBeCloseTo(2 / 9, 12);
    expect(discrimination!.values[0]).toBeCloseTo(Math.sqrt(3) / 2, 12);
    expect(discrimination!.values[2]).toBe(0); // all right: no correlation
  });
});

describe("every sampler", () => {
  test("draws as many different items as asked, ascending, by its seed", () => {
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.integer({ min: 1, max: ITEMS }), fc.integer(), (which, k, seed) => {
        const { draw } = all[which]!;
        const drawn = draw(k, createRandom(seed));
        expect(drawn.length).toBe(k);
        expect(Array.from(drawn)).toEqual([...new Set(drawn)].toSorted((x, y) => x - y));
        expect(drawn.at(-1)!).toBeLessThan(ITEMS);
        expect(draw(k, createRandom(seed))).toEqual(drawn);
      }),
      { numRuns: 300 },
    );
  });
});

test("random, stratified and clusters draw items in proportion to weight", () => {
  for (const name of ["random", "stratified difficulty", "clusters"]) {
    const counts = new Float64Array(ITEMS);
    for (const drawn of draws(name, 12, 4000)) for (const item of drawn) counts[item]! += 1;
    // Five standard errors of a share.
    counts.forEach((own, i) =>
      expect(Math.abs(own / 4000 - 12 * weights[i]!)).toBeLessThan(5 * Math.sqrt(0.25 / 4000)),
    );
  }
});

test("stratified draws spread over the column: weight below the j-th item is about j/k", () => {
  const difficulty = profile.columns[0]!.values;
  const order = Array.from(difficulty.keys()).sort((x, y) => difficulty[x]! - difficulty[y]!);
  /** Weight below an item, between that below the first and the last of those as difficult. */
  const below = (item: number, within: (value: number) => boolean): number =>
    order.reduce((sum, i) => sum + (within(difficulty[i]! - difficulty[item]!) ? weights[i]! : 0), 0);
  for (const drawn of draws("stratified difficulty", 10, 50)) {
    const sorted = Array.from(drawn).sort((x, y) => difficulty[x]! - difficulty[y]!);
    sorted.forEach((item, j) => {
      expect(below(item, (gap) => gap < 0)).toBeLessThan((j + 2) / 10);
      expect(below(item, (gap) => gap <= 0)).toBeGreaterThan((j - 1) / 10);
    });
  }
});

test("high and low lean to their ends", () => {
  const difficulty = profile.columns[0]!.values;
  const level = (name: string): number => {
    const drawn = draws(name, 12, 60).flatMap((own) => Array.from(own));
    return drawn.reduce((sum, item) => sum + difficulty[item]!, 0) / drawn.length;
  };
  expect(level("high difficulty")).toBeGreaterThan(0.4);
  expect(level("low difficulty")).toBeLessThan(-0.4);
  expect(Math.abs(level("random"))).toBeLessThan(0.2);
});

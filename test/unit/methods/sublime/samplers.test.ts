import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difficultyColumns, itemProfile } from "../../../../offline-trainer/src/methods/sublime/profile.ts";
import { type Sampler, samplers, strataOf } from "../../../../offline-trainer/src/methods/sublime/samplers.ts";
import { drawnColumns } from "../drawn-columns.ts";

const ITEMS = 60;
const { columns: anchors, full } = drawnColumns("samplers", 8, ITEMS);
const random = createRandom("weights");
const raw = Float64Array.from({ length: ITEMS }, () => 0.5 + random.next());
const total = raw.reduce((sum, value) => sum + value, 0);
const weights = raw.map((value) => value / total);
const tide = Float64Array.from({ length: ITEMS }, (_, i) => (i % 7 === 0 ? NaN : i));
const noFeatures = { columns: [], points: null, subscenarios: null, strata: null };
const columns = [
  { name: "tide", values: tide },
  { name: "flat", values: new Float64Array(ITEMS).fill(2) },
  { name: "rare", values: Float64Array.from({ length: ITEMS }, (_, i) => (i < 20 ? i : NaN)) },
];
const given = { weights, features: { ...noFeatures, columns } };
const profile = itemProfile(given, anchors, full, createRandom("profile"));
const all = samplers(profile);
const named = (name: string): Sampler => all.find((own) => own.name === name)!;
const draws = (name: string, k: number, times: number): Uint32Array[] =>
  Array.from({ length: times }, (_, t) => named(name).draw(k, createRandom(`${name} ${t}`)));

describe("an item profile", () => {
  test("has the anchor models' difficulty, disagreement and discrimination, and what varies and is mostly known", () => {
    expect(profile.columns.map(({ name }) => name)).toEqual(["difficulty", "disagreement", "discrimination", "tide"]);
    for (const { values } of profile.columns) {
      const mean = values.reduce((sum, value, i) => sum + weights[i]! * value, 0);
      expect(Math.abs(mean)).toBeLessThan(1e-12);
    }
    expect(profile.columns.at(-1)!.values[7]).toBe(0); // not known
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
  for (const name of ["random", "stratified tide", "clusters"]) {
    const counts = new Float64Array(ITEMS);
    for (const drawn of draws(name, 12, 4000)) for (const item of drawn) counts[item]! += 1;
    // Five standard errors of a share.
    counts.forEach((own, i) =>
      expect(Math.abs(own / 4000 - 12 * weights[i]!)).toBeLessThan(5 * Math.sqrt(0.25 / 4000)),
    );
  }
});

test("stratified draws spread over the column: weight below the j-th item is about j/k", () => {
  const order = Array.from(tide.keys()).sort((x, y) => profile.columns[3]!.values[x]! - profile.columns[3]!.values[y]!);
  const place = new Map(order.map((item, at) => [item, at]));
  const below = order.map((_, at) => order.slice(0, at).reduce((sum, item) => sum + weights[item]!, 0));
  for (const drawn of draws("stratified tide", 10, 50)) {
    const places = Array.from(drawn, (item) => below[place.get(item)!]!).toSorted((x, y) => x - y);
    // The nine items without a value are alike, in random order: a tenth and a half of the weight.
    places.forEach((own, j) => expect(Math.abs(own - j / 10)).toBeLessThan(0.25));
  }
});

test("high and low lean to their ends; farthest spreads more than random does", () => {
  const difficulty = profile.columns[0]!.values;
  const level = (name: string): number => {
    const drawn = draws(name, 12, 60).flatMap((own) => Array.from(own));
    return drawn.reduce((sum, item) => sum + difficulty[item]!, 0) / drawn.length;
  };
  expect(level("high difficulty")).toBeGreaterThan(0.4);
  expect(level("low difficulty")).toBeLessThan(-0.4);
  expect(Math.abs(level("random"))).toBeLessThan(0.2);
});

test("farthest leaves a larger gap between its nearest items than any random draw", () => {
  const square = (x: number, y: number): number => {
    let sum = 0;
    for (let m = 0; m < 8; m++) sum += (anchors.scores[x * 8 + m]! - anchors.scores[y * 8 + m]!) ** 2;
    return sum;
  };
  const least = (drawn: Uint32Array): number =>
    Math.min(...Array.from(drawn).flatMap((x, j) => Array.from(drawn.slice(0, j), (y) => square(x, y))));
  const far = Math.min(...draws("farthest", 6, 20).map(least));
  expect(far).toBeGreaterThanOrEqual(Math.max(...draws("random", 6, 40).map(least)));
  expect(far).toBeGreaterThan(1);
});

const { columns: dealtAnchors, full: dealtFull } = drawnColumns("strata", 8, ITEMS);
const evenWeights = new Float64Array(ITEMS).fill(1 / ITEMS);
/** Of 30, 20 and 10 items, dealt out in turn. */
const labels = Int32Array.from({ length: ITEMS }, (_, i) => (i % 6 < 3 ? 2 : i % 6 < 5 ? 0 : 1));
const groups = { name: "subject", labels };
const profileWith = (features: { subscenarios?: typeof groups; strata?: typeof groups }) =>
  itemProfile(
    { weights: evenWeights, features: { ...noFeatures, ...features } },
    dealtAnchors,
    dealtFull,
    createRandom("profile"),
  );
const counts = (drawn: Uint32Array): number[] =>
  [0, 1, 2].map((label) => Array.from(drawn).filter((i) => labels[i] === label).length);

describe("strataOf", () => {
  test("shares a subset in proportion to weight, by largest remainders", () => {
    const quotas = (k: number) => strataOf(groups, evenWeights, k).map(({ items, quota }) => [items.length, quota]);
    expect(quotas(12)).toEqual([
      [30, 6],
      [20, 4],
      [10, 2],
    ]);
    expect(quotas(7)).toEqual([
      [30, 4], // 3.5
      [20, 2], // 2.33
      [10, 1], // 1.17
    ]);
    expect(strataOf(null, evenWeights, 7)).toEqual([{ items: Array.from(evenWeights.keys()), quota: 7 }]);
  });

  test("never asks a stratum for more than it has, and is within one of its share", () => {
    const drawn = fc.array(fc.record({ label: fc.nat(4), weight: fc.double({ min: 0.01, max: 1, noNaN: true }) }), {
      minLength: 5,
      maxLength: 40,
    });
    fc.assert(
      fc.property(drawn, fc.nat(1000), (items, at) => {
        const total = items.reduce((sum, { weight }) => sum + weight, 0);
        const own = Float64Array.from(items, ({ weight }) => weight / total);
        const many = new Set(items.map(({ label }) => label)).size;
        const k = many + (at % (items.length - many + 1));
        const strata = strataOf({ name: "x", labels: Int32Array.from(items, ({ label }) => label) }, own, k);
        expect(strata.reduce((sum, { quota }) => sum + quota, 0)).toBe(k);
        for (const { items: members, quota } of strata) expect(quota).toBeLessThanOrEqual(members.length);
      }),
    );
  });
});

describe("samplers", () => {
  test("every one keeps the strata's proportions", () => {
    for (const { draw } of samplers(profileWith({ strata: groups }))) {
      expect(counts(draw(12, createRandom(1)))).toEqual([4, 2, 6]);
      expect(counts(draw(60, createRandom(2)))).toEqual([20, 10, 30]);
      expect(counts(draw(3, createRandom(3))).reduce((sum, own) => sum + own, 0)).toBe(3);
    }
  });

  test("one is spread over subscenarios where there are several", () => {
    const names = (features: Parameters<typeof profileWith>[0]) =>
      samplers(profileWith(features)).map(({ name }) => name);
    expect(names({ subscenarios: groups })).toContain("stratified subscenario");
    expect(names({})).not.toContain("stratified subscenario");
    expect(names({ subscenarios: { name: "one", labels: new Int32Array(ITEMS) } })).not.toContain(
      "stratified subscenario",
    );
    const own = samplers(profileWith({ subscenarios: groups })).find(({ name }) => name === "stratified subscenario")!;
    for (let seed = 0; seed < 20; seed++)
      counts(own.draw(11, createRandom(seed))).forEach((count, label) =>
        expect(Math.abs(count - (11 * [20, 10, 30][label]!) / 60)).toBeLessThan(2),
      );
  });
});

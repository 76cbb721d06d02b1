import { createRandom } from "anchoreval/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { itemProfile } from "../../../../offline-trainer/src/methods/sublime/profile.ts";
import { samplers, strataOf } from "../../../../offline-trainer/src/methods/sublime/samplers.ts";
import { refusal } from "../../../support/refusal.ts";
import { drawnColumns } from "../essence/drawn-columns.ts";

const ITEMS = 60;
const { columns: anchors, full } = drawnColumns("strata", 8, ITEMS);
const weights = new Float64Array(ITEMS).fill(1 / ITEMS);
/** Of 30, 20 and 10 items, dealt out in turn. */
const labels = Int32Array.from({ length: ITEMS }, (_, i) => (i % 6 < 3 ? 2 : i % 6 < 5 ? 0 : 1));
const groups = { name: "subject", labels };
const profileWith = (features: { subscenarios?: typeof groups; strata?: typeof groups }) =>
  itemProfile({
    ...{ weights, anchors, full, random: createRandom("profile") },
    features: { columns: [], points: null, subscenarios: null, strata: null, ...features },
  });
const counts = (drawn: Uint32Array): number[] =>
  [0, 1, 2].map((label) => Array.from(drawn).filter((i) => labels[i] === label).length);

describe("strataOf", () => {
  test("shares a subset in proportion to weight, by largest remainders", () => {
    const quotas = (k: number) => strataOf(groups, weights, k).map(({ items, quota }) => [items.length, quota]);
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
    expect(strataOf(null, weights, 7)).toEqual([{ items: Array.from(weights.keys()), quota: 7 }]);
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

  test("fewer items than strata are refused", () => {
    expect(refusal(() => strataOf(groups, weights, 2))).toMatchObject({
      code: "invalid_option",
      message:
        "--strata subject has 3 strata, more than the 2 items asked for: ask for 3 at least, or name a coarser column",
    });
  });
});

describe("samplers", () => {
  test("every one keeps the strata's proportions", async () => {
    for (const { draw } of samplers(await profileWith({ strata: groups }))) {
      expect(counts(draw(12, createRandom(1)))).toEqual([4, 2, 6]);
      expect(counts(draw(60, createRandom(2)))).toEqual([20, 10, 30]);
      expect(counts(draw(3, createRandom(3))).reduce((sum, own) => sum + own, 0)).toBe(3);
    }
  });

  test("one is spread over subscenarios where there are several", async () => {
    const names = async (features: Parameters<typeof profileWith>[0]) =>
      samplers(await profileWith(features)).map(({ name }) => name);
    expect(await names({ subscenarios: groups })).toContain("stratified subscenario");
    expect(await names({})).not.toContain("stratified subscenario");
    expect(await names({ subscenarios: { name: "one", labels: new Int32Array(ITEMS) } })).not.toContain(
      "stratified subscenario",
    );
    const own = samplers(await profileWith({ subscenarios: groups })).find(
      ({ name }) => name === "stratified subscenario",
    )!;
    for (let seed = 0; seed < 20; seed++)
      counts(own.draw(11, createRandom(seed))).forEach((count, label) =>
        expect(Math.abs(count - (11 * [20, 10, 30][label]!) / 60)).toBeLessThan(2),
      );
  });
});

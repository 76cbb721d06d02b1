import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { clusteredError } from "../../../../../offline-trainer/src/fit/held-out-scores.ts";
import { coverageInterval } from "anchoreval/internal/features/charts/sdk/coverage";

describe("coverageInterval", () => {
  test("is Wilson's at the number of models, where their intervals are independent of each other", () => {
    const coverageSe = Math.sqrt((0.9 * 0.1) / 40);
    const { low, high } = coverageInterval({ models: 40, coverage95: 0.9, coverageSe })!;
    for (const end of [low, high]) expect((0.9 - end) ** 2).toBeCloseTo((1.959964 ** 2 * end * (1 - end)) / 40, 7);
    expect(low).toBeLessThan(0.9);
    expect(high).toBeGreaterThan(0.9);
  });

  test("all held, or none: as many models say that they may not all", () => {
    const all = coverageInterval({ models: 25, coverage95: 1, coverageSe: 0 })!;
    expect(all.high).toBe(1);
    expect(all.low).toBeCloseTo(25 / (25 + 1.959964 ** 2), 6);
    const none = coverageInterval({ models: 25, coverage95: 0, coverageSe: 0 })!;
    expect([none.low, none.high]).toEqual([0, expect.closeTo(1 - all.low, 9)]);
  });

  test("not measured: none; without a standard error, as a manifest may be, the models count", () => {
    expect(coverageInterval({ models: 25, coverage95: null, coverageSe: null })).toBeNull();
    const { low, high } = coverageInterval({ models: 40, coverage95: 0.9 })!;
    const same = coverageInterval({ models: 40, coverage95: 0.9, coverageSe: Math.sqrt((0.9 * 0.1) / 40) })!;
    expect(low).toBeCloseTo(same.low, 12);
    expect(high).toBeCloseTo(same.high, 12);
  });

  test("holds the coverage that models' own shares are drawn about, 19 times in 20", () => {
    const random = createRandom("coverage of coverage");
    const [models, forms, runs] = [60, 4, 2000];
    let held = 0;
    for (let run = 0; run < runs; run++) {
      // Half of the models are covered by .99 of their forms, half by .85: .92 in all.
      const hits = Array.from({ length: models * forms }, (_, k): number =>
        random.next() < (random.fork(`model ${run} ${Math.floor(k / forms)}`).next() < 0.5 ? 0.99 : 0.85) ? 1 : 0,
      );
      const coverage = hits.reduce((sum, hit) => sum + hit, 0) / hits.length;
      const coverageSe = clusteredError(
        hits.map((_, k) => Math.floor(k / forms)),
        hits.map((hit) => hit - coverage),
        hits.length,
      )!;
      const { low, high } = coverageInterval({ models, coverage95: coverage, coverageSe })!;
      if (low <= 0.92 && 0.92 <= high) held++;
    }
    expect(held / runs).toBeGreaterThan(0.93);
    expect(held / runs).toBeLessThan(0.97);
  });
});

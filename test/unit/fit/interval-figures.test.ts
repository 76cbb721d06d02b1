import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { holdsTruth, winklerScore } from "../../../offline-trainer/src/fit/held-out-scores.ts";

describe("holdsTruth", () => {
  test.each([
    [0.4, true],
    [0.6, true],
    [0.4 - 1e-13, true],
    [0.6 + 1e-13, true],
    [0.4 - 1e-9, false],
    [0.6 + 1e-9, false],
  ])("from .4 to .6, truth %d: %s", (truth, held) => {
    expect(holdsTruth({ low: 0.4, high: 0.6 }, truth)).toBe(held);
  });
});

describe("winklerScore", () => {
  test.each([
    [0.5, 0.95, 0.2],
    [0.35, 0.95, 0.2 + 40 * 0.05],
    [0.65, 0.95, 0.2 + 40 * 0.05],
    [0.65, 0.8, 0.2 + 10 * 0.05],
  ])("from .4 to .6, truth %d at level %d: %d", (truth, level, score) => {
    expect(winklerScore({ low: 0.4, high: 0.6 }, truth, level)).toBeCloseTo(score, 12);
  });

  test("is least, on average, for the quantiles: narrower and wider ones are worse", () => {
    const random = createRandom("winkler");
    const truths = Array.from({ length: 20_000 }, () => random.next());
    const average = (low: number, high: number): number =>
      truths.reduce((sum, truth) => sum + winklerScore({ low, high }, truth, 0.8), 0) / truths.length;
    const best = average(0.1, 0.9);
    for (const [low, high] of [
      [0.05, 0.95],
      [0.15, 0.85],
      [0.05, 0.85],
      [0, 1],
    ] as const)
      expect(average(low, high)).toBeGreaterThan(best + 0.005);
  });
});

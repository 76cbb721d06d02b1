import { ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { describe, expect, test } from "vitest";
import { ANCHOR_METHOD_NAMES, customised } from "../../../../../offline-trainer/src/methods/index.ts";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import {
  backtestCell,
  FORMS_PER_SEED,
  type CellInput,
  type CellResult,
} from "../../../../../features/backtest/fit/cell.ts";
import { describeBenchmark } from "../../../../../offline-trainer/src/matrix/benchmark.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "../../../../../offline-trainer/src/methods/settings.ts";
import { fullScores } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { recommended, withKnowledge } from "../../../../../offline-trainer/src/methods/method.ts";
import type { BenchmarkSplit } from "../../../../../offline-trainer/src/matrix/splits.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";

const base: FitSettings = { ...DEFAULT_SETTINGS, dims: 1, folds: 2, draws: 1 };
const matrix = smallLeaderboard({ models: 40, dims: 3 });
const rows = matrix.subjects.map((_, m) => m);
const splitOf = (sources: readonly number[], targets: readonly number[]): BenchmarkSplit => ({
  ...{ sources, targets },
  scenarios: [{ sources, targets }],
});
const split = splitOf(rows.slice(0, 28), rows.slice(28));

/** Of the first scenario; no model replicates another. */
const benchmark = describeBenchmark(matrix, base);
const first = { ...benchmark, scenarios: benchmark.scenarios.slice(0, 1), replicates: Int32Array.from(rows) };

async function run(change: Partial<CellInput> = {}, settings: Partial<FitSettings> = {}): Promise<CellResult[]> {
  const own = await customised(recommended, { ...base, ...settings });
  const method = withKnowledge(own, first);
  return backtestCell({ benchmark: first, split, sizes: [8], seed: 1, method, ...change }, typescriptBackend);
}

describe("backtestCell", () => {
  test("tells of every target, form and size, against the full score", async () => {
    const results = await run({ sizes: [4, 8] });
    const truth = fullScores(matrix, first.scenarios[0]!).score;
    expect(results.map(({ scenario, n, dims }) => [scenario, n, dims])).toEqual([
      ["a", 4, 1],
      ["a", 8, 1],
    ]);
    for (const { estimates } of results) {
      const keys = estimates.map(({ model, draw }) => `${model}/${draw}`);
      expect(new Set(keys).size).toBe(split.targets.length * FORMS_PER_SEED);
      expect(keys).toHaveLength(split.targets.length * FORMS_PER_SEED);
      for (const { model, draw, truth: own, failed } of estimates) {
        expect(split.targets).toContain(model);
        expect(draw).toBeLessThan(FORMS_PER_SEED);
        expect(own).toBe(truth[model]);
        expect(failed).toBe(false);
      }
    }
  });

  test("the same seed gives the same, to the bit; another gives another", async () => {
    const results = await run();
    expect(await run()).toEqual(results);
    expect(await run({ seed: 2 })).not.toEqual(results);
  });

  test("a size does not depend on the larger ones that are asked for with it", async () => {
    const [alone] = await run({ sizes: [8] }, { selection: "irt-kmeans" });
    const [beside] = await run({ sizes: [8, 60] }, { selection: "irt-kmeans" });
    expect(beside).toEqual(alone);
  });

  test.each(ANCHOR_METHOD_NAMES)(
    "%s: as many anchors as items, or more, give every model's truth",
    async (selection) => {
      for (const { estimates } of await run({ sizes: [60, 61, 5000] }, { selection }))
        for (const { truth, estimators, interval, randomError, failed } of estimates) {
          for (const id of ESTIMATORS) expect(Math.abs(estimators[id] - truth)).toBeLessThan(1e-12);
          expect(Math.abs(interval!.low - truth)).toBeLessThan(1e-12);
          expect(Math.abs(interval!.high - truth)).toBeLessThan(1e-12);
          expect(randomError).toBeLessThan(1e-12);
          expect(failed).toBe(false);
        }
    },
  );

  test("anchors chosen on purpose: gp-irt within the same error either way, cut to what the answers prove", async () => {
    const [result] = await run({}, { selection: "irt-kmeans" });
    const sides = result!.estimates.flatMap(({ estimators, interval, bounds }) => {
      const score = estimators["gp-irt"];
      expect(interval!.low).toBeGreaterThanOrEqual(bounds.low);
      expect(interval!.high).toBeLessThanOrEqual(bounds.high);
      return [
        ...(interval!.low > bounds.low ? [score - interval!.low] : []),
        ...(interval!.high < bounds.high ? [interval!.high - score] : []),
      ];
    });
    expect(sides.length).toBeGreaterThan(result!.estimates.length);
    expect(Math.min(...sides)).toBeGreaterThan(0.01);
    expect(Math.max(...sides) - Math.min(...sides)).toBeLessThan(1e-12);
  });

  test.each([
    [19, true], // ⌈20 · 0.95⌉ = 19: the largest error
    [18, false], // ⌈19 · 0.95⌉ = 19 > 18
  ])("anchors chosen on purpose, %d source models: an interval there is %s", async (sources, there) => {
    const held = splitOf(rows.slice(0, sources), rows.slice(28));
    const [result] = await run({ split: held }, { selection: "correctness-kmeans" });
    expect(result!.estimates.every(({ interval }) => (interval !== null) === there)).toBe(true);
  });
});

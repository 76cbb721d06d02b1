import { ESTIMATORS } from "anchoreval/internal/core/estimators/types";
// Threads run the built package, so it is what is tested here.
import { DEFAULT_SETTINGS, recommended, runBacktest, type Backtest, type BacktestOptions } from "anchoreval-trainer";
import { beforeAll, describe, expect, test } from "vitest";
import { planCells } from "../../../../../features/backtest/fit/plan-cells.ts";
import { submatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";
import { WHOLE } from "../../../../support/whole.ts";

const matrix = smallLeaderboard({ models: 24, items: [30, 20] });
const shared = {
  split: "interpolation",
  sizes: [5, 12],
  seeds: 2,
  method: { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 1, folds: 2, draws: 1 } },
} as const;
const run = (change: Partial<BacktestOptions> = {}): Promise<Backtest> =>
  runBacktest(matrix, { ...shared, provider: "typescript", threads: 1, ...change });

describe("runBacktest", () => {
  let alone: Backtest;
  beforeAll(async () => {
    alone = await run();
  });

  test("a row for every size, scenario and estimator", () => {
    const expected = shared.sizes.flatMap((n) =>
      ["a", "b", "overall"].flatMap((scenario) => ESTIMATORS.map((estimator) => [n, scenario, estimator])),
    );
    expect(alone.rows.map(({ n, scenario, estimator }) => [n, scenario, estimator])).toEqual(expected);
    for (const row of alone.rows) expect(row).toMatchObject({ seeds: 2, failures: 0, split: "interpolation" });
  });

  test.each(WHOLE ? [2, 100] : [100])("%d threads give the same rows as one, to the bit", async (threads) => {
    expect(await run({ threads })).toEqual(alone);
  });

  test("ONNX Runtime, too, gives the same on one thread and on two", async () => {
    const options = { provider: "cpu", sizes: [5], seeds: 1 } as const;
    expect(await run({ ...options, threads: 2 })).toEqual(await run(options));
  });

  test("other seeds give other rows", async () => {
    const { rows } = await run({ firstSeed: 2 });
    rows.forEach((row, k) => {
      expect(row.mae).not.toBe(alone.rows[k]!.mae);
      expect(row.randomMae).not.toBe(alone.rows[k]!.randomMae);
    });
  });

  describe("a board on which every model stands twice", () => {
    const own = [...matrix.subjects.keys()];
    const twice = submatrix(matrix, [...own, ...own.toReversed()], [...matrix.items.keys()]);
    const doubled = {
      ...twice,
      subjects: twice.subjects.map((name, m) => (m < own.length ? name : `copy-of-${name}`)),
    };
    const both = async (
      change: Partial<BacktestOptions>,
      ofDoubled = change,
    ): Promise<readonly [Backtest, Backtest]> => {
      const options = { ...shared, sizes: [5], seeds: 1, provider: "typescript", threads: 1 } as const;
      return [
        await runBacktest(matrix, { ...options, ...change }),
        await runBacktest(doubled, { ...options, ...ofDoubled }),
      ];
    };

    const splits = WHOLE ? (["interpolation", "extrapolation", "family"] as const) : (["interpolation"] as const);
    test.each(splits)("%s: the rows of the board", async (split) => {
      const [plain, rows] = await both({ split, seeds: WHOLE && split === "interpolation" ? 2 : 1 });
      expect(rows).toEqual(plain);
    });

    test("the newest go by the dates of the models that stay", async () => {
      const dates = own.map((m) => `2026-01-${10 + ((7 * m) % 24)}`);
      const late = own.map(() => "2027-01-01");
      const [plain, rows] = await both({ split: "newest", dates }, { split: "newest", dates: [...dates, ...late] });
      expect(rows).toEqual(plain);
    });

    test("a copy that is named as a target is the model that it copies", async () => {
      const names = matrix.subjects.slice(3, 9);
      const [plain, rows] = await both({ targets: names }, { targets: names.map((name) => `copy-of-${name}`) });
      expect(rows).toEqual(plain);
    });
  });

  test("folds of families are one seed: five fits, every model a target", async () => {
    const done: [number, number][] = [];
    const { rows, targets } = await run({
      split: "family",
      seeds: 1,
      scenarios: ["b"],
      onProgress: (count, of) => done.push([count, of]),
    });
    expect(done).toEqual([1, 2, 3, 4, 5].map((count) => [count, 5]));
    expect(rows).toHaveLength(2 * ESTIMATORS.length);
    for (const row of rows) expect(row).toMatchObject({ seeds: 1, targets: 24, scenario: "b" });
    expect(targets["b"]!.map((names) => names.toSorted())).toEqual([matrix.subjects.toSorted()]);
  });

  test("tells whom it held out, by scenario and seed, each once", () => {
    const cells = planCells(matrix, shared);
    for (const scenario of ["a", "b"])
      expect(alone.targets[scenario]).toEqual(
        cells
          .filter(({ benchmark }) => benchmark.scenarios.some(({ id }) => id === scenario))
          .map(({ split }) => split.targets.map((m) => matrix.subjects[m]!)),
      );
  });

  test("scenarios asked whole: no errors, and no ratio to random items that have none either", async () => {
    const { rows } = await run({ sizes: [25, 30], seeds: 1 });
    const whole = rows.filter(({ n, scenario }) => n === 30 || scenario === "b");
    expect(whole).toHaveLength(4 * ESTIMATORS.length);
    for (const row of whole) {
      for (const figure of ["mae", "rmse", "bias", "p95", "randomMae"] as const)
        expect(Math.abs(row[figure])).toBeLessThan(1e-10);
      expect(row).toMatchObject({ ratioToRandom: null, ratioSe: null, randomHalfWidth95: null });
      expect(row.spearman).toBeCloseTo(1, 12);
      if (row.estimator === "gate") expect(row).toMatchObject({ coverage95: 1, coverageSe: 0 });
    }
    for (const row of rows.filter((other) => !whole.includes(other))) expect(row.ratioToRandom).toBeGreaterThan(0);
  });

  test("an end that is asked for, beforehand or in between, is one; no fit is counted after it", async () => {
    for (const after of [0, 2]) {
      const controller = new AbortController();
      if (after === 0) controller.abort();
      let fits = 0;
      const onProgress = (done: number): void => {
        fits = done;
        if (done === after) controller.abort();
      };
      expectRefusal(
        await rejection(run({ signal: controller.signal, onProgress })),
        "aborted",
        "the back-test was interrupted",
      );
      expect(fits).toBe(after);
    }
  });

  test("what breaks in a thread comes out as the error that it is", async () => {
    // A thread loads the anchors' method by where it says it is.
    const anchors = { ...recommended.anchors, source: { ...recommended.anchors.source, name: "none" } };
    await expect(run({ method: { ...shared.method, anchors } })).rejects.toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("undefined") as string,
    });
  });
});

import { ESTIMATORS, type EstimatorId } from "anchoreval/internal/core/estimators/types";
import { describe, expect, test } from "vitest";
import type { CellEstimate, CellResult } from "../../../../../features/backtest/fit/cell.ts";
import { backtestRows, type BacktestRow } from "../../../../../features/backtest/fit/rows.ts";
import { methodDigest, recommended, type Method } from "../../../../../offline-trainer/src/methods/method.ts";
import { customised } from "../../../../../offline-trainer/src/methods/index.ts";
import { changed, simulatedCells } from "./simulated-cells.ts";

const shared = { scenario: "a", split: "interpolation", n: 10, method: recommended, isDefault: true };
const rowsOf = (seeds: readonly (readonly CellResult[])[], method?: Method): BacktestRow[] =>
  backtestRows({ ...shared, seeds, ...(method && { method, isDefault: false }) });
const rowOf = (seeds: readonly (readonly CellResult[])[], estimator: EstimatorId): BacktestRow =>
  rowsOf(seeds).find((row) => row.estimator === estimator)!;
const allOf = (seeds: readonly (readonly CellResult[])[]): CellEstimate[] =>
  seeds.flatMap((cells) => cells.flatMap(({ estimates }) => estimates));

const seeds = simulatedCells();
const estimates = allOf(seeds);

/** By its definition, one addition at a time. */
function average(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/**
 * Standard error of Σ above / Σ below over models as the infinitesimal jackknife has it: how the ratio moves with the
 * weight of each model, by central differences.
 */
function jackknifeError(all: readonly CellEstimate[], above: readonly number[], below: readonly number[]): number {
  const ratio = (heavier: number, by: number): number => {
    let [upper, lower] = [0, 0];
    all.forEach(({ model }, k) => {
      const weight = model === heavier ? 1 + by : 1;
      upper += weight * above[k]!;
      lower += weight * below[k]!;
    });
    return upper / lower;
  };
  const models = [...new Set(all.map(({ model }) => model))];
  const slopes = models.map((model) => (ratio(model, 1e-4) - ratio(model, -1e-4)) / 2e-4);
  return Math.sqrt((models.length / (models.length - 1)) * slopes.reduce((sum, slope) => sum + slope ** 2, 0));
}

describe("rows against the cells' estimates", () => {
  test("the cells are of every kind", () => {
    const sizes = estimates.map(({ model }) => estimates.filter((other) => other.model === model).length);
    expect(new Set(sizes).size).toBeGreaterThan(2);
    const sides = new Set(
      estimates.map(({ interval, truth }) =>
        truth < interval!.low ? "below" : truth > interval!.high ? "above" : truth === interval!.high ? "end" : "in",
      ),
    );
    expect([...sides].sort()).toEqual(["above", "below", "end", "in"]);
    expect(seeds.flat().every((cell) => cell.estimates.length > 0)).toBe(true);
  });

  test.each(ESTIMATORS)("%s: errors", (estimator) => {
    const row = rowOf(seeds, estimator);
    const errors = estimates.map((estimate) => 100 * (estimate.estimators[estimator] - estimate.truth));
    const absolute = errors.map((error) => (error < 0 ? -error : error));
    const bias = average(errors);
    const variance = average(errors.map((error) => (error - bias) ** 2));
    const baseline = estimates.map(({ randomError }) => 100 * randomError);
    expect(row.mae).toBeCloseTo(average(absolute), 10);
    expect(row.bias).toBeCloseTo(bias, 10);
    expect(row.rmse).toBeCloseTo(Math.sqrt(bias ** 2 + variance), 10);
    expect(row.randomMae).toBeCloseTo(average(baseline), 10);
    expect(row.ratioToRandom).toBeCloseTo(average(absolute) / average(baseline), 10);
    expect(row.ratioSe! / jackknifeError(estimates, absolute, baseline)).toBeCloseTo(1, 6);
  });

  test.each(ESTIMATORS)("%s: random items' intervals, in points", (estimator) => {
    const own = estimates.map(({ randomInterval }) => randomInterval!);
    const row = rowOf(seeds, estimator);
    expect(row.randomCoverage95).toBeCloseTo(average(own.map(({ coverage }) => coverage)), 12);
    expect(row.randomHalfWidth95).toBeCloseTo(average(own.map(({ halfWidth }) => 100 * halfWidth)), 10);
    expect(row.randomWinkler95).toBeCloseTo(average(own.map(({ winkler }) => 100 * winkler)), 10);
  });

  test("95 % within is the linear quantile: 95 of errors 0, 1, …, 100, and between the largest two of two", () => {
    const errors = [...Array(101).keys()].reverse();
    const ofErrors = (list: readonly number[]): BacktestRow => {
      const [cell] = seeds[0]!;
      const own = list.map((error, model): CellEstimate => ({
        ...estimates[0]!,
        model,
        truth: 0,
        estimators: { ...estimates[0]!.estimators, "p-irt": (model % 2 === 0 ? error : -error) / 100 },
      }));
      return rowOf([[{ ...cell!, estimates: own }]], "p-irt");
    };
    expect(ofErrors(errors).p95).toBeCloseTo(95, 10);
    expect(ofErrors([1, 3]).p95).toBeCloseTo(1 + 0.95 * 2, 10);
    expect(ofErrors([7]).p95).toBeCloseTo(7, 10);
  });

  test("intervals: coverage, half-width, interval score, standard error by model", () => {
    const row = rowOf(seeds, "gate");
    const held = estimates.map(({ truth, interval }) => (truth >= interval!.low && truth <= interval!.high ? 1 : 0));
    const winkler = estimates.map(({ truth, interval }) => {
      const { low, high } = interval!;
      if (truth < low) return 100 * (high - low + 40 * (low - truth));
      if (truth > high) return 100 * (high - low + 40 * (truth - high));
      return 100 * (high - low);
    });
    expect(row.coverage95).toBeCloseTo(average(held), 12);
    expect(row.halfWidth95).toBeCloseTo(average(estimates.map(({ interval: i }) => 50 * (i!.high - i!.low))), 10);
    expect(row.winkler95).toBeCloseTo(average(winkler), 9);
    const error = jackknifeError(
      estimates,
      held,
      held.map(() => 1),
    );
    expect(error).toBeGreaterThan(0.01);
    expect(row.coverageSe! / error).toBeCloseTo(1, 6);
    expect(row.intervalMethod).toBe("conformal");
  });

  test.each(ESTIMATORS)("%s: rank correlations over the targets of a seed, form by form, all folds together", (id) => {
    const own = { spearman: [] as number[], kendall: [] as number[] };
    for (const cells of seeds)
      for (const draw of [0, 1, 2]) {
        const pairs = cells
          .flatMap((cell) => cell.estimates.filter((estimate) => estimate.draw === draw))
          .map(({ estimators, truth }) => [estimators[id], truth] as const);
        const m = pairs.length;
        expect(m).toBeGreaterThan(2);
        const rank = (side: 0 | 1, of: number): number => pairs.filter((pair) => pair[side] < of).length;
        const squares = pairs.reduce((sum, [x, y]) => sum + (rank(0, x) - rank(1, y)) ** 2, 0);
        own.spearman.push(1 - (6 * squares) / (m * (m * m - 1)));
        const turned = pairs.flatMap(([x, y]) => pairs.filter(([x2, y2]) => x < x2 && y > y2)).length;
        own.kendall.push(1 - (4 * turned) / (m * (m - 1)));
      }
    const row = rowOf(seeds, id);
    expect(row.spearman).toBeCloseTo(average(own.spearman), 12);
    expect(row.kendall).toBeCloseTo(average(own.kendall), 12);
  });

  test("what was counted, and what it was of", () => {
    const failures = estimates.filter(({ failed }) => failed).length;
    expect(failures).toBeGreaterThan(0);
    for (const row of rowsOf(seeds)) {
      expect(row).toMatchObject({
        scenario: "a",
        split: "interpolation",
        n: 10,
        selection: "screened",
        irtModel: "2pl",
        dims: 3,
        configuration: methodDigest(recommended),
        recommended: row.estimator === "gate",
        targets: new Set(estimates.map(({ model }) => model)).size,
        seeds: 4,
        failures,
      });
      if (row.estimator !== "gp-irt") expect(row.lambda).toBeNull();
    }
    expect(rowsOf(seeds).map(({ estimator }) => estimator)).toEqual([...ESTIMATORS]);
    expect(rowOf(seeds, "gp-irt").lambda).toBeCloseTo(average(seeds.flat().map(({ lambda }) => lambda!)), 12);
  });
});

describe("intervals that are not there", () => {
  const NONE = { coverage95: null, halfWidth95: null, winkler95: null, coverageSe: null, intervalMethod: null };

  test("random items without intervals, if only for one estimate, take their figures with them, and nothing else", () => {
    const without = changed(seeds, (estimate, k) => (k === 5 ? { ...estimate, randomInterval: null } : estimate));
    const none = { randomCoverage95: null, randomHalfWidth95: null, randomWinkler95: null };
    expect(rowsOf(without)).toEqual(rowsOf(seeds).map((row) => ({ ...row, ...none })));
  });

  test("other estimators than the headline's have none", () => {
    for (const id of ["anchor-mean", "p-irt", "gp-irt"] as const) expect(rowOf(seeds, id)).toMatchObject(NONE);
  });

  test("one that is missing takes the figures with it, and nothing else", () => {
    const without = changed(seeds, (estimate, k) => (k === 5 ? { ...estimate, interval: null } : estimate));
    expect(rowsOf(without)).toEqual(rowsOf(seeds).map((row) => ({ ...row, ...NONE })));
  });

  test("anchors chosen on purpose: they belong to gp-irt, and none is a default", async () => {
    const rows = rowsOf(seeds, await customised(recommended, { selection: "irt-kmeans" }));
    for (const row of rows) {
      if (row.estimator === "gp-irt") expect(row.intervalMethod).toBe("cross-validated");
      else expect(row).toMatchObject(NONE);
      expect(row.recommended).toBe(false);
      expect(row.configuration).not.toBe(methodDigest(recommended));
    }
  });

  test("an interval that ends in the truth, but for rounding, holds it", () => {
    const [low, high] = [0.1 + 0.2, 0.7 - 0.4]; // 0.30000000000000004, 0.29999999999999993
    for (const [interval, coverage95] of [
      [{ low, high: 0.5 }, 1],
      [{ low: 0.1, high }, 1],
      [{ low: 0.3001, high: 0.5 }, 0],
      [{ low: 0.1, high: 0.2999 }, 0],
    ] as const) {
      const all = changed(seeds, (estimate) => ({ ...estimate, truth: 0.3, interval }));
      expect(rowOf(all, "gate")).toMatchObject({ coverage95, coverageSe: 0 });
    }
  });
});

describe("laws", () => {
  test("an estimator that is the truth has no error, and ranks as it", () => {
    const right = changed(seeds, (estimate) => ({
      ...estimate,
      estimators: { ...estimate.estimators, "p-irt": estimate.truth },
    }));
    expect(rowOf(right, "p-irt")).toMatchObject({ mae: 0, rmse: 0, bias: 0, p95: 0, ratioToRandom: 0, ratioSe: 0 });
    expect(rowOf(right, "p-irt").spearman).toBeCloseTo(1, 12);
    expect(rowOf(right, "p-irt").kendall).toBeCloseTo(1, 12);
    expect(rowOf(right, "gate")).toEqual(rowOf(seeds, "gate"));
  });

  test("an estimator as bad as random items in every model has ratio 1, for certain", () => {
    const alike = changed(seeds, (estimate, k) => ({
      ...estimate,
      estimators: { ...estimate.estimators, "p-irt": estimate.truth + (k % 2 === 0 ? 1 : -1) * estimate.randomError },
    }));
    expect(rowOf(alike, "p-irt").ratioToRandom).toBeCloseTo(1, 12);
    expect(rowOf(alike, "p-irt").ratioSe).toBeCloseTo(0, 12);
  });

  test("the same estimates in more forms are not more models: standard errors stay", () => {
    const twice = seeds.map((cells) =>
      cells.map((cell) => ({
        ...cell,
        estimates: [...cell.estimates, ...cell.estimates.map((own) => ({ ...own, draw: own.draw + 3 }))],
      })),
    );
    rowsOf(twice).forEach((row, k) => {
      const once = rowsOf(seeds)[k]!;
      expect(row.ratioSe).toBeCloseTo(once.ratioSe!, 12);
      if (once.coverageSe !== null) expect(row.coverageSe).toBeCloseTo(once.coverageSe, 12);
      expect(row.mae).toBeCloseTo(once.mae, 12);
    });
  });

  test("standard errors are what the figures vary by, leaderboard by leaderboard", () => {
    const rows = Array.from({ length: 300 }, (_, k) =>
      rowOf(simulatedCells({ models: 40, seeds: 6, draws: 1, random: `leaderboard ${k}` }), "gate"),
    );
    const spread = (values: readonly number[]): number =>
      Math.sqrt(average(values.map((value) => (value - average(values)) ** 2)));
    const size = (values: readonly number[]): number => Math.sqrt(average(values.map((value) => value ** 2)));
    // A standard deviation of 300 is known to 4 %; clusters by the dozen make it out some percent too small.
    for (const ratio of [
      size(rows.map(({ ratioSe }) => ratioSe!)) / spread(rows.map(({ ratioToRandom }) => ratioToRandom!)),
      size(rows.map(({ coverageSe }) => coverageSe!)) / spread(rows.map(({ coverage95 }) => coverage95!)),
    ]) {
      expect(ratio).toBeGreaterThan(0.85);
      expect(ratio).toBeLessThan(1.15);
    }
  });
});

describe("too little to say", () => {
  test("one target: no standard errors, no ranks", () => {
    const [cell] = seeds[0]!;
    const own = cell!.estimates.filter(({ model }) => model === cell!.estimates[0]!.model);
    expect(rowOf([[{ ...cell!, estimates: own }]], "gate")).toMatchObject({
      targets: 1,
      ratioSe: null,
      coverageSe: null,
      spearman: null,
      kendall: null,
    });
  });

  test("forms whose targets don't differ are left out of the ranks", () => {
    const tied = changed(seeds, (estimate) => (estimate.draw === 0 ? { ...estimate, truth: 0.5 } : estimate));
    const others = seeds.map((cells) =>
      cells.map((cell) => ({ ...cell, estimates: cell.estimates.filter(({ draw }) => draw !== 0) })),
    );
    expect(rowOf(tied, "p-irt").spearman).toBeCloseTo(rowOf(others, "p-irt").spearman!, 12);
    expect(rowOf(tied, "p-irt").kendall).toBeCloseTo(rowOf(others, "p-irt").kendall!, 12);
  });

  test.each([0, 3e-16])("random items that err by %d: no ratio", (randomError) => {
    const whole = changed(seeds, (estimate) => ({ ...estimate, randomError }));
    for (const row of rowsOf(whole)) expect(row).toMatchObject({ ratioToRandom: null, ratioSe: null });
  });

  test("no estimates: no rows", () => {
    expect(rowsOf(seeds.map((cells) => cells.map((cell) => ({ ...cell, estimates: [] }))))).toEqual([]);
  });
});

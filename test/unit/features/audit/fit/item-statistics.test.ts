import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../../../../offline-trainer/src/calibrate/types.ts";
import type { CodedResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";

import {
  heldOutLikelihood,
  itemStatistics,
  type ItemStatistics,
  suspicion,
} from "../../../../../features/audit/fit/item-statistics.ts";
import { responseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { ITEM_KINDS } from "../../../../../features/simulate/fit/items.ts";
import { demoLeaderboard } from "../../../../../features/simulate/fit/simulate-leaderboard.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { simulatedResponses } from "../../../calibrate/simulated-responses.ts";

function statisticsOf(rows: readonly (readonly number[])[]): ItemStatistics[] {
  const items = rows[0]!.map((_, i) => ({ item_id: `i${i}`, scenario: "s" }));
  const matrix = responseMatrix(
    rows.map((_, m) => `m${m}`),
    items,
    Float64Array.from(rows.flat()),
  );
  return itemStatistics(matrix, scenarioSlices(items, "items")[0]!);
}

test("the correlation of an item is with the mean of the others, missing answers left out", () => {
  const rows = [
    [1, 0, 0, NaN],
    [0, 1, 0.5, 1],
    [1, 1, NaN, 0],
    [0.5, 1, 1, 1],
  ];
  const rest = (m: number): number => {
    const others = rows[m]!.slice(1).filter((y) => !Number.isNaN(y));
    return others.reduce((sum, y) => sum + y, 0) / others.length;
  };
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = rows.map((row) => row[0]!);
  const y = rows.map((_, m) => rest(m));
  const product = (u: readonly number[], v: readonly number[]): number =>
    mean(u.map((value, k) => (value - mean(u)) * (v[k]! - mean(v))));
  const [first, , third] = statisticsOf(rows);
  expect(first!.correlation).toBeCloseTo(product(x, y) / Math.sqrt(product(x, x) * product(y, y)), 12);
  expect(first!.mean).toBeCloseTo(0.625, 12);
  expect(third!.models).toBe(3);
  expect(third!.mean).toBeCloseTo(0.5, 12);
});

test("an item that all models get has no correlation, one that nobody answered nothing at all", () => {
  const [all, nobody] = statisticsOf([
    [1, NaN, 0],
    [1, NaN, 1],
  ]);
  expect(all!.correlation).toBeNaN();
  expect(nobody).toMatchObject({ models: 0, mean: NaN, correlation: NaN });
});

test("suspects: reversed items and those without relation; rare answers and few models say nothing", () => {
  const item = (correlation: number, mean = 0.5, models = 100): ItemStatistics => ({
    models,
    mean,
    weakest: 0.5,
    strongest: 0.5,
    correlation,
  });
  const items = [item(0.6), item(0.1), item(-0.4), item(-0.9, 0.02), item(-0.9, 0.5, 19), item(NaN, 1), item(-0.1)];
  expect(items.map(suspicion)).toEqual([null, "unrelated", "reversed", null, null, null, "unrelated"]);
});

test("on a simulated leaderboard, where 9 % of the items are faulty, nine in ten of those listed are", () => {
  const { matrix, truth } = demoLeaderboard(1);
  const listed = scenarioSlices(matrix.items, "subscenarios").flatMap((slice) =>
    itemStatistics(matrix, slice)
      .map((statistics, item) => ({ statistics, kind: ITEM_KINDS[truth.items.kind[slice.begin + item]!]! }))
      .filter(({ statistics }) => suspicion(statistics) !== null)
      .sort((x, y) => x.statistics.correlation - y.statistics.correlation)
      .slice(0, 20),
  );
  const faulty = listed.filter(({ kind }) => ["mislabelled", "non-monotone", "memorised"].includes(kind));
  expect(listed.length).toBeGreaterThan(30);
  expect(faulty.length / listed.length).toBeGreaterThan(0.9);
});

const { responses } = simulatedResponses({ subjects: 80, items: 150, dims: 2, missing: 0.1, seed: 3 });

/** The reference backend, which notes what it is given. */
function watched(): { backend: CalibrationBackend; given: CodedResponses[] } {
  const given: CodedResponses[] = [];
  const open = (own: CodedResponses, dims: number) => {
    given.push(own);
    return typescriptBackend.open(own, dims);
  };
  return { backend: { ...typescriptBackend, open }, given };
}

const options = (backend = typescriptBackend) => ({
  ...{ dims: 2, backend, share: 0.1, random: createRandom("held out") },
});

describe("held-out log-likelihood", () => {
  test("predicts better than the items' means where there is something to predict", async () => {
    const own = (await heldOutLikelihood(responses, options()))!;
    expect(own.model).toBeGreaterThan(own.itemMeans);
    expect(own.gain).toBeCloseTo(own.model - own.itemMeans, 12);
    expect(own.gain).toBeGreaterThan(5 * own.gainError);
    expect(own.model).toBeLessThan(0);
    expect(own.answers / (80 * 150 * 0.9)).toBeCloseTo(0.1, 1);
  });

  test("where there is nothing, gains nothing", async () => {
    const random = createRandom("coins");
    const coins = { ...responses, signs: responses.signs.map(() => (random.next() < 0.5 ? 1 : -1)) };
    const own = (await heldOutLikelihood(coins, options()))!;
    expect(own.gain).toBeLessThan(2 * own.gainError);
    expect(own.itemMeans).toBeCloseTo(-Math.LN2, 1);
  });

  test("the calibration sees the others alone, and all of them", async () => {
    const { backend, given } = watched();
    const own = (await heldOutLikelihood(responses, { ...options(backend), share: 0.2 }))!;
    const seen = given[0]!.signs;
    let hidden = 0;
    seen.forEach((sign, k) => {
      if (sign === 0 && responses.signs[k] !== 0) hidden++;
      else expect(sign).toBe(responses.signs[k]);
    });
    expect(hidden).toBe(own.answers);
  });

  test("held-out answers don't reach the fit: turned around, they are as far off as they were near", async () => {
    const { backend, given } = watched();
    await heldOutLikelihood(responses, options(backend));
    const held = responses.signs.map((sign, k) => (given[0]!.signs[k] === 0 ? sign : 0));
    const turned = { ...responses, signs: responses.signs.map((sign, k) => (held[k] === 0 ? sign : -sign)) };
    const again = watched();
    const other = (await heldOutLikelihood(turned, options(again.backend)))!;
    expect(again.given[0]!.signs).toEqual(given[0]!.signs);
    const own = (await heldOutLikelihood(responses, options()))!;
    expect(other.answers).toBe(own.answers);
    expect(other.model).toBeLessThan(own.model);
  });

  test("the same seed gives the same number, another one another", async () => {
    const [one, two] = [await heldOutLikelihood(responses, options()), await heldOutLikelihood(responses, options())];
    expect(two).toEqual(one);
    const other = await heldOutLikelihood(responses, { ...options(), random: createRandom("another") });
    expect(other!.model).not.toBe(one!.model);
  });

  test("with no answer drawn there is none", async () => {
    expect(await heldOutLikelihood(responses, { ...options(), share: 0 })).toBeNull();
  });

  test("stops when it is told to", async () => {
    const stopped = heldOutLikelihood(responses, { ...options(), signal: AbortSignal.abort() });
    expectRefusal(await rejection(stopped), "aborted", "stopped");
  });
});

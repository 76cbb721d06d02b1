import { expect, test } from "vitest";
import { demoLeaderboard } from "../../../offline-trainer/src/simulate/demo-leaderboard.ts";
import { ITEM_KINDS } from "../../../offline-trainer/src/simulate/item-kinds.ts";
import { responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices } from "../../../offline-trainer/src/prepare/scenarios.ts";
import { itemStatistics, type ItemStatistics } from "../../../offline-trainer/src/audit/item-statistics.ts";
import { suspectItems } from "../../../offline-trainer/src/audit/suspect-items.ts";

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

test("suspects: the reversed item first, then those without relation; rare answers and few models say nothing", () => {
  const item = (correlation: number, mean = 0.5, models = 100): ItemStatistics => ({
    models,
    mean,
    weakest: 0.5,
    strongest: 0.5,
    correlation,
  });
  const found = suspectItems([
    item(0.6),
    item(0.1),
    item(-0.4),
    item(-0.9, 0.02),
    item(-0.9, 0.5, 19),
    item(NaN, 1),
    item(-0.1),
  ]);
  expect(found.map(({ item: index, reversed }) => [index, reversed])).toEqual([
    [2, true],
    [6, false],
    [1, false],
  ]);
});

test("on a simulated leaderboard, where 9 % of the items are faulty, nine in ten of those listed are", () => {
  const { matrix, truth } = demoLeaderboard(1);
  const listed = scenarioSlices(matrix.items, "subscenarios").flatMap((slice) =>
    suspectItems(itemStatistics(matrix, slice))
      .slice(0, 20)
      .map(({ item }) => ITEM_KINDS[truth.items.kind[slice.begin + item]!]!),
  );
  const faulty = listed.filter((kind) => ["mislabelled", "non-monotone", "memorised"].includes(kind));
  expect(listed.length).toBeGreaterThan(30);
  expect(faulty.length / listed.length).toBeGreaterThan(0.9);
});

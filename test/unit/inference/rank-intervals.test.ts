import { rankIntervals } from "anchoreval/core";
import { expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

const { cases } = readFixture<{
  cases: { level: number; pValues: (number | null)[][]; expected: [number, number][] }[];
}>("comparison/ranks.json");

test.each(cases.map((entry, k) => ({ ...entry, k })))(
  "case $k: the closed test over every set of claims gives the same",
  ({ level, pValues, expected }) => {
    const found = rankIntervals((i, j) => pValues[i]![j]!, pValues.length, level);
    expect(found.map(({ low, high }) => [low, high])).toEqual(expected);
  },
);

test("the references have claims that are settled and others that are not", () => {
  const widths = cases.flatMap(({ expected }) => expected.map(([low, high]) => high - low));
  expect(widths.some((width) => width === 0)).toBe(true);
  expect(widths.some((width) => width > 1)).toBe(true);
});

test("with nothing settled every place is possible; with all, one each; a NaN settles nothing", () => {
  expect(rankIntervals(() => 0.5, 4, 0.95)).toEqual(new Array(4).fill({ low: 1, high: 4 }));
  const order = rankIntervals((i, j) => (i > j ? 1e-9 : 1), 4, 0.95);
  expect(order.map(({ low, high }) => [low, high])).toEqual([
    [4, 4],
    [3, 3],
    [2, 2],
    [1, 1],
  ]);
  expect(rankIntervals(() => NaN, 2, 0.95)).toEqual(new Array(2).fill({ low: 1, high: 2 }));
  expect(rankIntervals(() => 0, 1, 0.95)).toEqual([{ low: 1, high: 1 }]);
});

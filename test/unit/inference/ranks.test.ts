import { rankIntervals, scoreRange } from "anchoreval/internal/core/inference/ranks";
import { normalCdf } from "anchoreval/internal/core/numeric/distributions";
import { outsideProbability } from "../../../sdk/core/estimators/blend-estimates.ts";
import { describe, expect, test } from "vitest";
import { percentile } from "../../../sdk/core/inference/ranks.ts";
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

const seen = [0.2, 0.3, 0.5, 0.5, 0.8];

describe("outsideProbability", () => {
  test("is Φ of the distance past the best and the worst, in units of the error", () => {
    const { above, below } = outsideProbability(0.75, seen, 0.05);
    expect(above).toBeCloseTo(normalCdf(-1), 15);
    expect(below).toBeCloseTo(normalCdf(-11), 15);
    expect(outsideProbability(0.8, seen, 0.05).above).toBe(0.5);
    expect(outsideProbability(0.2, seen, 0.05).below).toBe(0.5);
  });

  test("an estimator without error is certain, not undefined", () => {
    expect(outsideProbability(0.81, seen, 0)).toEqual({ above: 1, below: 0 });
    expect(outsideProbability(0.1, seen, 0)).toEqual({ above: 0, below: 1 });
    expect(outsideProbability(0.8, seen, 0).above).toBe(0.5);
  });

  test("one source model is best and worst", () => {
    expect(outsideProbability(0.5, [0.5], 0.1)).toEqual({ above: 0.5, below: 0.5 });
  });
});

test.each([
  [0, 0, "inside"],
  [0.0499, 0, "inside"],
  [0.025, 0.025, "inside"],
  [0.05, 0, "edge"],
  [0.5, 0, "edge"],
  [0, 0.5, "edge"],
  [0.501, 0, "outside"],
  [0.3, 0.3, "inside"],
  [0.52, 0.48, "inside"],
  [0.7, 0.3, "edge"],
  [0.2, 0.8, "outside"],
  [1, 0, "outside"],
] as const)("above %d, below %d: %s", (above, below, expected) => {
  expect(scoreRange({ above, below })).toBe(expected);
});

test.each([
  [0.1, 0],
  [0.2, 0.1],
  [0.25, 0.2],
  [0.5, 0.6],
  [0.7, 0.8],
  [0.8, 0.9],
  [0.9, 1],
])("a score of %d is at percentile %d: ties count half", (score, expected) => {
  expect(percentile(score, seen)).toBeCloseTo(expected, 15);
});

test("among models that all have one score there is no percentile", () => {
  for (const score of [0, 0.5, 1]) expect(percentile(score, [0.5, 0.5, 0.5])).toBeNull();
  expect(percentile(0.5, [0.5])).toBeNull();
});

import {
  type AnswerFeatures,
  pooledFeatures,
  mappedScore,
  type MapTerm,
} from "anchoreval/internal/core/estimators/score-maps";
import { termValue } from "../../../sdk/core/estimators/score-maps.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const term = (values: number[], begin = 0.25, end = 0.75): MapTerm => ({
  feature: "mean",
  scenario: "one",
  begin,
  end,
  values: Float64Array.from(values),
});

describe("a curve of a map", () => {
  test("goes through its points, straight between them, and on beyond them", () => {
    const curve = term([0, 0.25, 0.75]);
    expect([0.25, 0.5, 0.75].map((x) => termValue(curve, x))).toEqual([0, 0.25, 0.75]);
    expect(termValue(curve, 0.375)).toBe(0.125);
    expect(termValue(curve, 0.625)).toBe(0.5);
    expect(termValue(curve, 0)).toBe(-0.25);
    expect(termValue(curve, 1)).toBe(1.25);
  });

  test("is a line where its points lie on one, wherever it is read", () => {
    const real = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    fc.assert(
      fc.property(real(-1, 1), real(-2, 2), fc.integer({ min: 2, max: 70 }), real(-1, 2), (level, slope, points, x) => {
        const values = Array.from({ length: points }, (_, k) => level + slope * (0.25 + (0.5 * k) / (points - 1)));
        expect(Math.abs(termValue(term(values), x) - (level + slope * x))).toBeLessThan(1e-11);
      }),
    );
  });
});

test("a map adds its curves; of all scenarios it reads each one's features, or their mean", () => {
  const features = new Map<string, AnswerFeatures>([
    ["one", { mean: 0.25, expected: 0.5, score: 0.375 }],
    ["two", { mean: 0.75, expected: 0.625, score: 0.5 }],
  ]);
  const read = pooledFeatures(features);
  expect(read({ feature: "score", scenario: "two" })).toBe(0.5);
  expect(read({ feature: "mean", scenario: null })).toBe(0.5);
  const line = (feature: MapTerm["feature"], scenario: string | null, slope: number): MapTerm => ({
    ...{ feature, scenario, begin: 0, end: 1 },
    values: Float64Array.of(0, slope),
  });
  const map = { intercept: 0.1, terms: [line("expected", "one", 1), line("mean", null, -0.5)] };
  expect(mappedScore(map, read)).toBeCloseTo(0.1 + 0.5 - 0.25, 15);
  expect(mappedScore({ intercept: 0.3, terms: [] }, read)).toBe(0.3);
});

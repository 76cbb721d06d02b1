import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { additiveModel } from "../../../../offline-trainer/src/methods/score-maps/additive-model.ts";
import { curveAt } from "../../../../offline-trainer/src/methods/score-maps/b-splines.ts";
import {
  distinctValues,
  penalisedSpline,
  smoothMap,
} from "../../../../offline-trainer/src/methods/score-maps/penalised-spline.ts";
import { largestDifference, readFixture, relativeError } from "../../../support/fixture.ts";

/** SciPy's smoothing splines, and P-splines on its basis. */
const { cases, tolerance } = readFixture<{
  tolerance: { absolute: number; byGcv: number; relative: number };
  cases: {
    name: string;
    x: number[];
    y: number[];
    at: number[];
    every: { penalty: number; y: number[] }[];
    byGcv: number[];
    breaks: number[];
    few: { penalty: number; y: number[]; degrees: number; gcv: number }[];
  }[];
}>("sklearn/smoothing-spline.json");

describe.each(cases)("$name", ({ x, y, at, every, byGcv, breaks, few }) => {
  const [ours, values] = [Float64Array.from(x), Float64Array.from(y)];

  test("with a break at every x it is SciPy's smoothing spline", () => {
    for (const { penalty, y: expected } of every) {
      const { curve } = penalisedSpline(ours, values, ours, penalty);
      const own = at.map((point) => curveAt(curve, point));
      expect(largestDifference(own, expected)).toBeLessThan(tolerance.absolute);
    }
  });

  test("chooses the penalty that SciPy chooses by GCV", () => {
    const { curve } = penalisedSpline(ours, values, ours);
    expect(
      largestDifference(
        at.map((point) => curveAt(curve, point)),
        byGcv,
      ),
    ).toBeLessThan(tolerance.byGcv);
  });

  test("on few breaks it is the P-spline with the exact penalty, its degrees and its GCV those of the hat matrix", () => {
    for (const { penalty, y: expected, degrees, gcv } of few) {
      const own = penalisedSpline(ours, values, Float64Array.from(breaks), penalty);
      expect(
        largestDifference(
          at.map((point) => curveAt(own.curve, point)),
          expected,
        ),
      ).toBeLessThan(tolerance.absolute);
      expect(relativeError(own.degrees, degrees)).toBeLessThan(tolerance.relative);
      expect(relativeError(own.gcv, gcv)).toBeLessThan(tolerance.relative);
    }
  });

  test("no penalty has less GCV than the chosen one", () => {
    const knots = Float64Array.from(breaks);
    const chosen = penalisedSpline(ours, values, knots);
    for (let exponent = -10; exponent <= 4; exponent += 0.5)
      expect(penalisedSpline(ours, values, knots, 10 ** exponent).gcv).toBeGreaterThanOrEqual(chosen.gcv * (1 - 1e-9));
  });
});

test("a line is fitted as a line, whatever the penalty", () => {
  const x = Float64Array.of(0, 0.1, 0.4, 0.5, 0.9, 1);
  for (const penalty of [1e-6, 1, "gcv"] as const) {
    const { curve } = penalisedSpline(
      x,
      x.map((own) => 3 - 2 * own),
      Float64Array.of(0, 0.3, 1),
      penalty,
    );
    for (const at of [-1, 0, 0.17, 0.3, 0.77, 1, 2]) expect(curveAt(curve, at)).toBeCloseTo(3 - 2 * at, 6);
  }
});

describe("a smooth map", () => {
  test("is the mean where all x are the same", () => {
    const map = smoothMap(Float64Array.of(0.5, 0.5), Float64Array.of(0.2, 0.4));
    for (const at of [0, 0.5, 1]) expect(curveAt(map, at)).toBeCloseTo(0.3, 15);
  });

  test("is the line of least squares where few differ", () => {
    // Slope Σ(x−x̄)(y−ȳ)/Σ(x−x̄)² = .25/.5 with x̄ = .5, ȳ = .5
    const map = smoothMap(Float64Array.of(0, 0.5, 1), Float64Array.of(0.3, 0.4, 0.8));
    for (const at of [-1, 0, 0.25, 1, 3]) expect(curveAt(map, at)).toBeCloseTo(0.5 + 0.5 * (at - 0.5), 12);
  });

  test("follows a curve, whatever the order of the points, and goes on straight beyond them", () => {
    const x = Float64Array.from({ length: 200 }, (_, k) => ((k * 77) % 200) / 200);
    const map = smoothMap(
      x,
      x.map((own) => Math.sin(3 * own)),
    );
    for (let at = 0.02; at < 0.98; at += 0.01) expect(Math.abs(curveAt(map, at) - Math.sin(3 * at))).toBeLessThan(1e-3);
    for (const [end, step] of [
      [0, -0.1],
      [0.995, 0.1],
    ] as const)
      expect(curveAt(map, end + 2 * step) - curveAt(map, end + step)).toBeCloseTo(
        curveAt(map, end + step) - curveAt(map, end),
        12,
      );
    const slope = (curveAt(map, 0.995) - curveAt(map, 0.995 - 1e-6)) / 1e-6;
    expect((curveAt(map, 1.095) - curveAt(map, 0.995)) / 0.1).toBeCloseTo(slope, 4);
    expect(curveAt(map, NaN)).toBeNaN();
  });
});

test("values that only rounding tells apart are one, in a map and in a sum of curves", () => {
  const random = createRandom(8);
  const level = (k: number): number => Math.floor(k / 6) / 10;
  const x = Float64Array.from({ length: 60 }, (_, k) => level(k) + (k % 6) * 2e-17 * (k > 12 ? 1 : 0));
  const shaken = Float64Array.from({ length: 60 }, (_, k) => level(k) * (1 + (k % 6) * 2.3e-16));
  const y = Float64Array.from({ length: 60 }, (_, k) => level(k) ** 2 + 0.01 * random.normal());
  for (const values of [x, shaken]) {
    const map = smoothMap(values, y);
    const { intercept, curves } = additiveModel([values], y);
    for (const at of [0, 0.25, 0.5, 0.9]) {
      expect(Math.abs(curveAt(map, at) - at ** 2)).toBeLessThan(0.02);
      expect(Math.abs(intercept + curveAt(curves[0]!, at) - at ** 2)).toBeLessThan(0.02);
    }
  }
  expect(Array.from(distinctValues(Float64Array.of(0.3, 0.1 + 0.2, 1, 0)))).toEqual([0, 0.3, 1]);
  expect(Array.from(distinctValues(Float64Array.of(0, 1 - 1e-16, 1)))).toEqual([0, 1]);
  expect(Array.from(distinctValues(Float64Array.of(0.5, 0.5)))).toEqual([0.5]);
  // Means of graded scores that were stored as float32: nearly the same three times.
  const stored = Float64Array.of(0.25, 0.7, 0.7 + 1e-7, 0.7 - 3e-8, 0.9);
  expect(distinctValues(stored)).toHaveLength(3);
  const means = Float64Array.from({ length: 18 }, (_, j) => Math.fround(0.2 + 0.05 * (j >> 1)) + (j % 2) * 4e-8);
  expect(Array.from(smoothMap(means, means).y).every(Number.isFinite)).toBe(true);
  expect(distinctValues(Float64Array.of(0.3, 0.1 + 0.2)).length).toBe(1);
});

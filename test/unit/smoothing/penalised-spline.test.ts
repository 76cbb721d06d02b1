import { describe, expect, test } from "vitest";
import { penalisedSpline } from "../../../offline-trainer/src/methods/score-maps/penalised-spline.ts";
import { curveAt } from "../../../offline-trainer/src/methods/score-maps/b-splines.ts";
import { largestDifference, readFixture, relativeError } from "../../support/fixture.ts";
import { refusal } from "../../support/refusal.ts";

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

test("equal x can't make a curve", () => {
  const x = Float64Array.of(0.5, 0.5, 0.5);
  expect(refusal(() => penalisedSpline(x, x, Float64Array.of(0, 1))).code).toBe("invalid_data");
});

import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { additiveModel } from "../../../../offline-trainer/src/methods/score-maps/additive-model.ts";
import { curveAt } from "../../../../offline-trainer/src/methods/score-maps/b-splines.ts";
import { largestDifference, readFixture } from "../../../support/fixture.ts";
import { refusal } from "../../../support/refusal.ts";

/** SciPy's maximum of the restricted likelihood, in the dense covariance of y. */
const { cases, tolerance } = readFixture<{
  tolerance: number;
  cases: { name: string; columns: number[][]; y: number[]; fitted: number[] }[];
}>("additive-model/reml.json");

const fittedOf = (columns: readonly Float64Array[], y: Float64Array, model = additiveModel(columns, y)): number[] =>
  Array.from(y, (_, j) =>
    columns.reduce((sum, x, k) => sum + (model.curves[k] ? curveAt(model.curves[k], x[j]!) : 0), model.intercept),
  );

describe.each(cases)("$name", ({ columns: given, y: values, fitted }) => {
  const columns = given.map((own) => Float64Array.from(own));
  const y = Float64Array.from(values);
  const model = additiveModel(columns, y, { tolerance: 1e-7, maxSteps: 2000 });

  test("is SciPy's maximum of the restricted likelihood", () => {
    expect(largestDifference(fittedOf(columns, y, model), fitted)).toBeLessThan(tolerance);
  });

  test("curves have mean 0 over the values, and their sum doesn't depend on the order of the columns", () => {
    model.curves.forEach((curve, k) => {
      const mean = columns[k]!.reduce((sum, x) => sum + curveAt(curve!, x), 0) / y.length;
      expect(Math.abs(mean)).toBeLessThan(1e-10);
    });
    const turned = [...columns].reverse();
    expect(largestDifference(fittedOf(turned, y), fittedOf(columns, y))).toBeLessThan(1e-6);
  });

  test("moves and stretches with y and with the columns", () => {
    const other = additiveModel(
      columns.map((x) => x.map((value) => 3 * value - 1)),
      y.map((value) => 10 * value + 5),
    );
    const own = fittedOf(columns, y);
    expect(
      largestDifference(
        fittedOf(
          columns.map((x) => x.map((value) => 3 * value - 1)),
          y,
          other,
        ).map((value) => (value - 5) / 10),
        own,
      ),
    ).toBeLessThan(1e-6);
  });
});

test("a line through points on a line, whatever else there is", () => {
  const random = createRandom(5);
  const x = Float64Array.from({ length: 50 }, () => random.next());
  const noise = Float64Array.from({ length: 50 }, () => random.normal());
  const y = x.map((value) => 0.2 + 0.5 * value);
  const { curves, intercept } = additiveModel([x, noise], y);
  for (const at of [-1, 0, 0.5, 2]) expect(intercept + curveAt(curves[0]!, at)).toBeCloseTo(0.2 + 0.5 * at, 3);
});

test("a constant column has no curve, few different values a line, and a constant y no curve", () => {
  const x = Float64Array.of(0, 0.5, 1, 0, 0.5, 1, 0.5, 0);
  const y = Float64Array.of(0.1, 0.4, 0.9, 0.2, 0.5, 0.8, 0.45, 0.15);
  const { curves } = additiveModel([new Float64Array(8).fill(0.3), x], y);
  expect(curves[0]).toBeNull();
  expect(curves[1]!.bending.every((value) => value === 0)).toBe(true);
  const flat = additiveModel([x], new Float64Array(8).fill(0.25));
  expect(flat.intercept).toBe(0.25);
  expect(fittedOf([x], y, flat).every((value) => value === 0.25)).toBe(true);
});

test("refuses no values", () => {
  expect(refusal(() => additiveModel([], new Float64Array(0)))).toMatchObject({ code: "invalid_data" });
});

import { expect, test } from "vitest";
import { priorCurvature, priorSlope, priorValue } from "../../../../../features/marginal/fit/problem.ts";

const prior = { mean: 1, flat: 2, sd: 0.5 };

test("nothing on the flat part, a normal fall beyond", () => {
  for (const x of [-1, 0, 1, 3])
    expect([priorValue(x, prior), priorSlope(x, prior), priorCurvature(x, prior)]).toEqual([-0, -0, 0]);
  expect(priorValue(4, prior)).toBe(-2);
  expect(priorValue(-2, prior)).toBe(-2);
});

test.each([-3, -1.5, 3.2, 5])("slope and curvature at %f are the value's", (x) => {
  const e = 1e-4;
  expect(priorSlope(x, prior)).toBeCloseTo((priorValue(x + e, prior) - priorValue(x - e, prior)) / (2 * e), 6);
  expect(priorCurvature(x, prior)).toBeCloseTo(-(priorSlope(x + e, prior) - priorSlope(x - e, prior)) / (2 * e), 6);
});

test("no width to the flat part is a normal prior, an endless fall none", () => {
  const normal = { mean: 1, flat: 0, sd: 2 };
  expect(priorCurvature(1, normal)).toBe(0.25);
  expect(priorSlope(3, normal)).toBe(-0.5);
  const none = { mean: 0, flat: 0, sd: Infinity };
  expect([priorValue(7, none), priorSlope(7, none), priorCurvature(7, none)]).toEqual([-0, -0, 0]);
});

import { normalQuantile, studentTCdf, studentTQuantile } from "anchoreval/core";
import { expect, test } from "vitest";
import { logGamma } from "../../../sdk/core/numeric/student-t.ts";
import { readFixture, relativeError } from "../../support/fixture.ts";

const reference = readFixture<{
  tolerance: {
    studentT: number;
    studentTPerDegree: number;
    studentTQuantile: number;
    studentTQuantileManyDegrees: number;
    logGamma: number;
  };
  studentTCdf: [number, number, number][];
  studentTQuantile: [number, number, number][];
  studentTQuantileManyDegrees: [number, number, number][];
  logGamma: [number, number][];
}>("numpy/distributions.json");

test.each(reference.studentTCdf)("F(%d; ν = %d)", (t, degrees, expected) => {
  expect(Math.abs(studentTCdf(t, degrees) - expected)).toBeLessThan(
    reference.tolerance.studentT + reference.tolerance.studentTPerDegree * degrees,
  );
});

test.each(reference.studentTQuantile)("F⁻¹(%d; ν = %d)", (p, degrees, expected) => {
  expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(reference.tolerance.studentTQuantile);
});

test.each(reference.studentTQuantileManyDegrees)("F⁻¹(%d; ν = %d), near the normal limit", (p, degrees, expected) => {
  expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(
    reference.tolerance.studentTQuantileManyDegrees,
  );
  expect(relativeError(studentTQuantile(p, degrees), normalQuantile(p))).toBeLessThan(1e-4);
});

test.each(reference.logGamma)("log Γ(%d)", (x, expected) => {
  expect(Math.abs(logGamma(x) - expected)).toBeLessThan(reference.tolerance.logGamma * Math.max(1, Math.abs(expected)));
});

test("the quantile undoes the distribution function", () => {
  for (const degrees of [0.7, 2, 9.5, 200])
    for (const p of [0.001, 0.2, 0.5, 0.8, 0.999])
      expect(studentTCdf(studentTQuantile(p, degrees), degrees)).toBeCloseTo(p, 12);
});

test("is odd about one half, and wider with fewer degrees of freedom", () => {
  expect(studentTQuantile(0.5, 3)).toBe(0);
  expect(studentTQuantile(0.1, 3)).toBe(-studentTQuantile(0.9, 3));
  const widths = [0.5, 1, 2, 5, 20, 100, 1e4].map((degrees) => studentTQuantile(0.975, degrees));
  expect(widths).toEqual(widths.toSorted((x, y) => y - x));
});

test.each([
  [0, 5],
  [1, 5],
  [-0.1, 5],
  [NaN, 5],
  [0.9, 0],
  [0.9, -1],
  [0.9, NaN],
])("F⁻¹(%d; ν = %d) is no number", (p, degrees) => {
  expect(studentTQuantile(p, degrees)).toBeNaN();
});

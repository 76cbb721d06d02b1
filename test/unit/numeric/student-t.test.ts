import { normalQuantile, studentTCdf, studentTQuantile } from "anchoreval/core";
import { expect, test } from "vitest";
import { readFixture, relativeError } from "../../support/fixture.ts";

const reference = readFixture<{
  tolerance: {
    studentT: number;
    studentTQuantile: number;
    studentTQuantileManyDegrees: number;
    studentTQuantileBeyond: number;
  };
  studentTCdf: [number, number, number][];
  studentTQuantile: [number, number, number][];
  studentTQuantileManyDegrees: [number, number, number][];
  studentTQuantileBeyond: [number, number, number][];
}>("numpy/distributions.json");

test.each(reference.studentTCdf)("F(%d; ν = %d)", (t, degrees, expected) => {
  expect(Math.abs(studentTCdf(t, degrees) - expected)).toBeLessThan(reference.tolerance.studentT);
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

test.each(reference.studentTQuantileBeyond)("F⁻¹(%d; ν = %d), at 10⁷ degrees", (p, degrees, expected) => {
  expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(
    reference.tolerance.studentTQuantileBeyond,
  );
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

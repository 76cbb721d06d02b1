import { normalCdf, normalQuantile, studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { describe, expect, test } from "vitest";
import { erfc, studentTCdf } from "../../../sdk/core/numeric/distributions.ts";
import { readFixture, relativeError } from "../../support/fixture.ts";

const reference = readFixture<{
  tolerance: { normal: number; normalQuantile: number };
  normalCdf: [number, number][];
  normalQuantile: [number, number][];
}>("numpy/distributions.json");

test.each(reference.normalCdf)("Φ(%d) has the relative accuracy of its tail", (x, expected) => {
  expect(relativeError(normalCdf(x), expected)).toBeLessThan(reference.tolerance.normal * Math.max(1, x * x));
});

test.each(reference.normalQuantile)("Φ⁻¹(%d)", (p, expected) => {
  expect(Math.abs(normalQuantile(p) - expected)).toBeLessThanOrEqual(
    reference.tolerance.normalQuantile * Math.max(1, Math.abs(expected)),
  );
});

describe("ends", () => {
  test("quantiles of 0 and 1 are infinite, outside NaN", () => {
    expect(normalQuantile(0)).toBe(-Infinity);
    expect(normalQuantile(1)).toBe(Infinity);
    for (const p of [-0.1, 1.1, NaN]) expect(normalQuantile(p)).toBeNaN();
  });

  test("Φ runs from 0 to 1, erfc from 2 to 0", () => {
    expect(normalCdf(-Infinity)).toBe(0);
    expect(normalCdf(Infinity)).toBe(1);
    expect(normalCdf(-40)).toBe(0);
    expect(normalCdf(NaN)).toBeNaN();
    expect(erfc(-10)).toBe(2);
  });
});

test("quantiles are odd about one half", () => {
  for (const p of [0.001, 0.02, 0.1, 0.3, 0.49]) expect(normalQuantile(p)).toBeCloseTo(-normalQuantile(1 - p), 12);
});

const studentTReference = readFixture<{
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

test.each(studentTReference.studentTCdf)("F(%d; ν = %d)", (t, degrees, expected) => {
  expect(Math.abs(studentTCdf(t, degrees) - expected)).toBeLessThan(studentTReference.tolerance.studentT);
});

test.each(studentTReference.studentTQuantile)("F⁻¹(%d; ν = %d)", (p, degrees, expected) => {
  expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(
    studentTReference.tolerance.studentTQuantile,
  );
});

test.each(studentTReference.studentTQuantileManyDegrees)(
  "F⁻¹(%d; ν = %d), near the normal limit",
  (p, degrees, expected) => {
    expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(
      studentTReference.tolerance.studentTQuantileManyDegrees,
    );
    expect(relativeError(studentTQuantile(p, degrees), normalQuantile(p))).toBeLessThan(1e-4);
  },
);

test.each(studentTReference.studentTQuantileBeyond)("F⁻¹(%d; ν = %d), at 10⁷ degrees", (p, degrees, expected) => {
  expect(relativeError(studentTQuantile(p, degrees), expected)).toBeLessThan(
    studentTReference.tolerance.studentTQuantileBeyond,
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

test("Student's t at infinity", () => {
  for (const degrees of [1, 3, 29.5]) {
    expect(studentTCdf(Infinity, degrees)).toBe(1);
    expect(studentTCdf(-Infinity, degrees)).toBe(0);
    expect(studentTCdf(-1e200, degrees)).toBe(0);
  }
});

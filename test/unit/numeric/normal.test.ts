import { normalCdf, normalQuantile } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { erfc } from "../../../sdk/core/numeric/distributions.ts";
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

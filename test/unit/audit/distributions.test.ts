import { describe, expect, test } from "vitest";
import { benjaminiHochberg } from "../../../offline-trainer/src/audit/benjamini-hochberg.ts";
import { chiSquareTail } from "../../../offline-trainer/src/audit/chi-square.ts";
import { correlationInterval } from "../../../offline-trainer/src/audit/correlation-interval.ts";
import { largestDifference, readFixture, relativeError } from "../../support/fixture.ts";

const fixture = readFixture<{
  readonly tolerance: number;
  readonly tails: readonly { readonly x: number; readonly degrees: number; readonly p: number }[];
  readonly rates: readonly { readonly p: readonly number[]; readonly q: readonly number[] }[];
  readonly correlations: readonly {
    readonly r: number;
    readonly n: number;
    readonly low: number;
    readonly high: number;
  }[];
}>("audit/distributions.json");

describe("χ²", () => {
  test("the upper tail is SciPy's", () => {
    for (const { x, degrees, p } of fixture.tails) {
      const own = chiSquareTail(x, degrees);
      // Far out relative, since nothing is subtracted there.
      expect(Math.min(Math.abs(own - p), relativeError(own, p)), `${x}, ${degrees}`).toBeLessThan(fixture.tolerance);
      if (x > 2 * degrees && p > 0) expect(relativeError(own, p), `${x}, ${degrees}`).toBeLessThan(1e-10);
    }
  });

  test("at the ends, and where there is none", () => {
    expect(chiSquareTail(0, 3)).toBe(1);
    expect(chiSquareTail(Infinity, 3)).toBe(0);
    expect(chiSquareTail(1, 0)).toBeNaN();
    expect(chiSquareTail(NaN, 2)).toBeNaN();
  });
});

describe("Benjamini & Hochberg's rates", () => {
  test("are SciPy's", () => {
    for (const { p, q } of fixture.rates) expect(largestDifference(benjaminiHochberg(p), q)).toBeLessThan(1e-12);
  });

  test("NaN is no test, and no q exceeds 1 or lies below its p", () => {
    const own = benjaminiHochberg([0.01, NaN, 0.04, 0.9, NaN]);
    expect(Array.from(own)).toEqual([
      expect.closeTo(0.03, 12),
      NaN,
      expect.closeTo(0.06, 12),
      expect.closeTo(0.9, 12),
      NaN,
    ]);
    expect(benjaminiHochberg([]).length).toBe(0);
    expect(Array.from(benjaminiHochberg([1, 1, 0.99]))).toEqual([1, 1, 1]);
  });
});

describe("intervals of correlations", () => {
  test("are those of the normal distribution of artanh r", () => {
    for (const { r, n, low, high } of fixture.correlations) {
      const own = correlationInterval(r, n);
      expect(own.low).toBeCloseTo(low, 12);
      expect(own.high).toBeCloseTo(high, 12);
    }
  });

  test("of few pairs there is none", () => {
    expect(correlationInterval(0.3, 3)).toEqual({ low: NaN, high: NaN });
    expect(correlationInterval(NaN, 30).low).toBeNaN();
  });
});

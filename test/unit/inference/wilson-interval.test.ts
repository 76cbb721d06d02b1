import { wilsonInterval } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

const { wilson, tolerance } = readFixture<{
  tolerance: { absolute: number };
  wilson: { p: number; n: number; z: number; expected: [number, number] }[];
}>("numpy/intervals.json");

test.each(wilson)("p = $p, n = $n, z = $z: roots of (p − π)² = z²π(1−π)/n", ({ p, n, z, expected }) => {
  const { low, high } = wilsonInterval(p, n, z);
  expect(Math.abs(low - expected[0])).toBeLessThan(tolerance.absolute);
  expect(Math.abs(high - expected[1])).toBeLessThan(tolerance.absolute);
});

describe("at the ends", () => {
  test("stays inside [0,1] and holds p", () => {
    for (const p of [0, 1e-9, 0.5, 1 - 1e-9, 1])
      for (const n of [0.5, 1, 10, 1e6]) {
        const { low, high } = wilsonInterval(p, n, 2);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(p + 1e-12);
        expect(high).toBeGreaterThanOrEqual(p - 1e-12);
      }
  });

  test("no success leaves z²/(n + z²) possible", () => {
    expect(wilsonInterval(0, 20, 2).high).toBeCloseTo(4 / 24, 15);
    expect(wilsonInterval(1, 20, 2).low).toBeCloseTo(20 / 24, 15);
  });
});

test("is mirrored by swapping success and failure", () => {
  const one = wilsonInterval(0.2, 30, 1.96);
  const other = wilsonInterval(0.8, 30, 1.96);
  expect(one.low).toBeCloseTo(1 - other.high, 14);
  expect(one.high).toBeCloseTo(1 - other.low, 14);
});

test("z = 0 is a point", () => {
  expect(wilsonInterval(0.3, 10, 0)).toEqual({ low: 0.3, high: 0.3 });
});

import { designInterval, type AnsweredSample } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

const { design, tolerance } = readFixture<{
  tolerance: { absolute: number };
  design: {
    name: string;
    estimate: number;
    mass: number[];
    inclusion: number[];
    residuals: number[];
    level: number;
    expected: [number, number];
  }[];
}>("numpy/intervals.json");

function sampleOf(mass: readonly number[], inclusion: readonly number[] | null): AnsweredSample {
  return {
    items: Uint32Array.from(mass, (_, j) => j),
    scores: new Float64Array(mass.length),
    mass: Float64Array.from(mass),
    inclusion: inclusion && Float64Array.from(inclusion),
    share: 1,
  };
}

test.each(design)("as its docstring states it: $name", ({ estimate, mass, inclusion, residuals, level, expected }) => {
  const interval = designInterval(estimate, sampleOf(mass, inclusion), Float64Array.from(residuals), level)!;
  expect(Math.abs(interval.low - expected[0])).toBeLessThan(tolerance.absolute);
  expect(Math.abs(interval.high - expected[1])).toBeLessThan(tolerance.absolute);
});

const equal = (n: number): number[] => new Array<number>(n).fill(1 / n);
const residuals = Float64Array.of(0.3, -0.2, 0.5, -0.6, 0.1, -0.1, 0.4, -0.4);

describe("no interval", () => {
  test("for a purposive choice", () => {
    expect(designInterval(0.5, sampleOf(equal(8), null), residuals, 0.95)).toBeNull();
  });

  test("for a single answer", () => {
    expect(designInterval(0.5, sampleOf([1], [0.2]), Float64Array.of(0.3), 0.95)).toBeNull();
  });
});

test("a census has no sampling error", () => {
  expect(designInterval(0.4, sampleOf(equal(8), equal(8).fill(1)), residuals, 0.95)).toEqual({ low: 0.4, high: 0.4 });
});

test("items that are always asked add none", () => {
  // Halves of the mass: 8 items drawn at 0.1, and one certain item of mass ½ whose residual changes ē only.
  const mass = [...equal(8).map((value) => value / 2), 0.5];
  const some = designInterval(0.5, sampleOf(mass, [...equal(8).fill(0.1), 1]), Float64Array.of(...residuals, 0), 0.95)!;
  const all = designInterval(0.5, sampleOf(equal(8), equal(8).fill(0.1)), residuals, 0.95)!;
  expect(some.high - some.low).toBeLessThan(0.6 * (all.high - all.low));
});

test("is narrower with a larger share of the items, smaller residuals, more answers", () => {
  const width = (inclusion: number, scale: number, repeats = 1): number => {
    const all = Float64Array.from({ length: 8 * repeats }, (_, j) => scale * residuals[j % 8]!);
    const { low, high } = designInterval(
      0.5,
      sampleOf(equal(8 * repeats), equal(8 * repeats).fill(inclusion)),
      all,
      0.95,
    )!;
    return high - low;
  };
  expect(width(0.9, 1)).toBeLessThan(0.5 * width(0.1, 1));
  expect(width(0.1, 0.5)).toBeLessThan(width(0.1, 1));
  expect(width(0.1, 1, 4)).toBeLessThan(0.6 * width(0.1, 1));
});

test("right predictions all the way are not certainty", () => {
  const { low, high } = designInterval(0.5, sampleOf(equal(8), equal(8).fill(0.1)), new Float64Array(8), 0.95)!;
  expect(high - low).toBeGreaterThan(0.2);
});

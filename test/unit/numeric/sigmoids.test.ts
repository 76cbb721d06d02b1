import { createRandom, sigmoid, sigmoids } from "anchoreval/core";
import { expect, test } from "vitest";

/** Largest relative difference from one sigmoid at a time. */
function worst(values: Float64Array): number {
  return sigmoids(Float64Array.from(values)).reduce(
    (most, s, i) => Math.max(most, Math.abs(s / sigmoid(values[i]!) - 1)),
    0,
  );
}

test.each([1e-9, 1e-3, 1, 40, 699.9])("are within 3 units in the last place of each one's, up to ±%d", (range) => {
  const random = createRandom("sigmoids");
  expect(worst(Float64Array.from({ length: 20_000 }, () => range * (2 * random.next() - 1)))).toBeLessThanOrEqual(
    3 * Number.EPSILON,
  );
});

test("are right where steps of the table meet", () => {
  for (const nudge of [-1e-12, 0, 1e-12])
    expect(
      worst(Float64Array.from({ length: 10_001 }, (_, k) => ((k - 5000.5) * Math.LN2) / 2048 + nudge)),
    ).toBeLessThanOrEqual(3 * Number.EPSILON);
});

test("are each one's exactly at 0 and beyond the table", () => {
  const values = [0, -0, 700, -700, 710, -710, -745, 800, -800, Infinity, -Infinity, NaN];
  expect([...sigmoids(Float64Array.from(values))]).toEqual(values.map(sigmoid));
});

test("replaces the first ones alone", () => {
  const values = Float64Array.of(0, 0, 7);
  expect(sigmoids(values, 2)).toBe(values);
  expect([...values]).toEqual([0.5, 0.5, 7]);
});

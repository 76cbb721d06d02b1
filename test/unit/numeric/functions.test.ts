import { applyMonotoneMap, logit, sigmoid, softplus } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { sigmoids } from "../../../sdk/core/numeric/functions.ts";

describe("sigmoid", () => {
  test("is ½ at 0, saturates without overflow and keeps the lower tail", () => {
    expect(sigmoid(0)).toBe(0.5);
    expect(sigmoid(800)).toBe(1);
    expect(sigmoid(-745)).toBeGreaterThan(0); // the last power of e above zero
    expect(sigmoid(-700)).toBe(Math.exp(-700));
    expect(sigmoid(Infinity)).toBe(1);
    expect(sigmoid(-Infinity)).toBe(0);
    expect(sigmoid(NaN)).toBeNaN();
  });

  test("σ(x) + σ(−x) = 1 to one rounding", () => {
    for (let x = -40; x <= 40; x += 0.37) expect(Math.abs(sigmoid(x) + sigmoid(-x) - 1)).toBeLessThanOrEqual(2 ** -52);
  });
});

describe("softplus", () => {
  test("is log 2 at 0, x far above and eˣ far below", () => {
    expect(softplus(0)).toBe(Math.LN2);
    expect(softplus(1000)).toBe(1000);
    expect(softplus(-700)).toBe(Math.exp(-700));
    expect(softplus(-Infinity)).toBe(0);
    expect(softplus(Infinity)).toBe(Infinity);
    expect(softplus(NaN)).toBeNaN();
  });

  test("softplus(x) − softplus(−x) = x", () => {
    for (let x = -60; x <= 60; x += 0.71) expect(softplus(x) - softplus(-x)).toBeCloseTo(x, 12);
  });
});

describe("logit", () => {
  test("undoes the sigmoid", () => {
    // Above, 1 − p has lost digits already: the error of p is divided by it.
    for (let x = -30; x <= 0; x += 0.43) expect(Math.abs(logit(sigmoid(x)) - x)).toBeLessThan(1e-13);
    for (let x = 0; x <= 10; x += 0.43) expect(Math.abs(logit(sigmoid(x)) - x)).toBeLessThan(1e-11);
  });

  test("is infinite at the ends and NaN outside", () => {
    expect(logit(0.5)).toBe(0);
    expect(logit(0)).toBe(-Infinity);
    expect(logit(1)).toBe(Infinity);
    expect(logit(-0.1)).toBeNaN();
    expect(logit(1.1)).toBeNaN();
  });
});

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

const map = { x: Float64Array.of(0.1, 0.3, 0.7, 0.9), y: Float64Array.of(0.2, 0.25, 0.25, 0.8) };

test("goes through its knots", () => {
  map.x.forEach((x, k) => expect(applyMonotoneMap(map, x)).toBe(map.y[k]));
});

test("is linear between them and constant outside", () => {
  expect(applyMonotoneMap(map, 0.2)).toBeCloseTo(0.225, 15);
  expect(applyMonotoneMap(map, 0.5)).toBe(0.25);
  expect(applyMonotoneMap(map, 0.8)).toBeCloseTo(0.525, 15);
  expect(applyMonotoneMap(map, -3)).toBe(0.2);
  expect(applyMonotoneMap(map, 3)).toBe(0.8);
});

test("one knot is a constant", () => {
  const constant = { x: Float64Array.of(0.5), y: Float64Array.of(0.4) };
  for (const value of [0, 0.5, 1]) expect(applyMonotoneMap(constant, value)).toBe(0.4);
});

test("never decreases", () => {
  let previous = -Infinity;
  for (let value = -0.1; value <= 1.1; value += 0.001) {
    const y = applyMonotoneMap(map, value);
    expect(y).toBeGreaterThanOrEqual(previous);
    previous = y;
  }
});

import { applyMonotoneMap } from "anchoreval/core";
import { expect, test } from "vitest";

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

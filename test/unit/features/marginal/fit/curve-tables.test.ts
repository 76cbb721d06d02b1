import { expect, test } from "vitest";
import { denseGrid, evenGrid, placeOf } from "../../../../../features/marginal/fit/curve-tables.ts";

const normal = (x: number, mean: number, sd: number): number =>
  Math.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI));

test("an even grid reaches its end", () => {
  const { points, weights } = evenGrid(-1, 1, 0.3);
  expect(points[0]).toBe(-1);
  expect(points.at(-1)!).toBeGreaterThanOrEqual(1);
  expect(points.at(-2)!).toBeLessThan(1);
  expect(weights.every((weight) => weight === 0.3)).toBe(true);
});

/** Dense about 0, sparse outside: the standard deviation of what can be integrated goes from .1 to 1. */
const density = (theta: number): number => 1.25 * Math.sqrt(1 + 99 * Math.exp((-theta * theta) / 8));
const grid = denseGrid(density, -14, 14, 0.05);

test("points lie as dense as asked, and weights are their distances", () => {
  const { points, weights } = grid;
  expect(points[0]).toBe(-14);
  expect(points.at(-1)!).toBeGreaterThanOrEqual(14);
  for (let q = 1; q + 1 < points.length; q++) {
    const distance = (points[q + 1]! - points[q - 1]!) / 2;
    expect(weights[q]).toBe(1 / density(points[q]!));
    expect(Math.abs(distance / weights[q]! - 1)).toBeLessThan(0.2);
  }
});

test.each([
  [0, 0.1],
  [0.3, 0.11],
  [-3, 0.2],
  [7, 1],
])("a normal density at %f as narrow as it allows, %f, integrates to 1", (mean, sd) => {
  let [total, first] = [0, 0];
  grid.points.forEach((theta, q) => {
    const part = grid.weights[q]! * normal(theta, mean, sd);
    total += part;
    first += part * theta;
  });
  expect(Math.abs(total - 1)).toBeLessThan(1e-6);
  expect(Math.abs(first - mean)).toBeLessThan(1e-5);
});

test("the place of θ is the first point not below it", () => {
  const { points } = grid;
  expect(placeOf(-100, grid)).toBe(0);
  expect(placeOf(points[7]!, grid)).toBe(7);
  expect(placeOf((points[7]! + points[8]!) / 2, grid)).toBe(8);
  expect(placeOf(100, grid)).toBe(points.length);
});

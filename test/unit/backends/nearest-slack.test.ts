import { createRandom, type RandomSource } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { nearestSlack } from "../../../offline-trainer/src/backends/onnx/nearest-slack.ts";

const f = Math.fround;
const norm = (values: readonly number[]): number => Math.hypot(...values);

/** |c|² − 2·x·c as a device may compute it in float32: any order of the terms, fused or not. */
function score(x: readonly number[], c: readonly number[], random: RandomSource): number {
  const fused = random.below(2) === 0;
  const terms = x.map((value, d) => f(value) * f(-2 * c[d]!)); // 48 bits at most: exact in float64
  const sums = [f(c.reduce((sum, value) => sum + value * value, 0)), ...(fused ? [] : terms.map(f))];
  const pending = fused ? terms : [];
  let total = sums.shift()!;
  for (const term of pending) total = f(total + term);
  // Pairs of what is left, at random: every tree of additions.
  sums.push(total);
  while (sums.length > 1) {
    const [one] = sums.splice(random.below(sums.length), 1);
    const [other] = sums.splice(random.below(sums.length), 1);
    sums.push(f(one! + other!));
  }
  return sums[0]!;
}

/** The same without the roundings of float32; float64's are five hundred million times smaller. */
const exact = (x: readonly number[], c: readonly number[]): number =>
  c.reduce((sum, value, d) => sum + value * (value - 2 * x[d]!), 0);

describe("the slack of float32", () => {
  test("covers the roundings of two scores, whatever the order of the sum", () => {
    const random = createRandom("slack");
    let largest = 0;
    for (let trial = 0; trial < 4000; trial++) {
      const dims = 1 + random.below(60);
      // Now numbers of one sign and size, whose errors add up; now of many sizes.
      const alike = random.below(2) === 0;
      const draw = (): number => (alike ? 0.7 + 0.3 * random.next() : random.normal() * 10 ** -random.below(6));
      const [x, c] = [Array.from({ length: dims }, draw), Array.from({ length: dims }, draw)];
      const error = Math.abs(score(x, c, random) - exact(x, c));
      const slack = nearestSlack(dims, "float32", norm(x), norm(c));
      expect(2 * error).toBeLessThan(slack);
      largest = Math.max(largest, (2 * error) / slack);
    }
    // It is no less than it must be, and not so wide that it says nothing.
    expect(largest).toBeGreaterThan(0.1);
  });

  test("is a few roundings a dimension", () => {
    expect(nearestSlack(10, "float32", 1, 1) / (2 * 14 * 2 ** -24 * 3)).toBeCloseTo(1, 2);
  });
});

test("grows with the dimensions, the point's length and the centroids'", () => {
  for (const type of ["float32", "float64"] as const) {
    const slack = nearestSlack(10, type, 1, 1);
    for (const [dims, radius, reach] of [
      [11, 1, 1],
      [10, 1.1, 1],
      [10, 1, 1.1],
    ] as const)
      expect(nearestSlack(dims, type, radius, reach)).toBeGreaterThan(slack);
  }
});

test("of float64 covers what the plain sums and the centring round", () => {
  // Four units in the last place of squares near (R + C)², for two distances.
  expect(nearestSlack(1, "float64", 1, 1)).toBeGreaterThan(2 * 4 * 2 ** -53 * 4);
  expect(nearestSlack(1, "float64", 1, 1)).toBeLessThan(2e-14);
});

test("is never nothing, not even between a point and a centroid in the middle", () => {
  expect(nearestSlack(1, "float32", 0, 0)).toBeGreaterThan(2 ** -126);
});

test("is no number where it would be: a length that is none, or so many dimensions that float32 knows nothing", () => {
  expect(nearestSlack(3, "float32", NaN, 1)).toBeNaN();
  expect(nearestSlack(3, "float32", Infinity, 1)).toBe(Infinity);
  expect(nearestSlack(2 ** 23, "float32", 1, 1)).toBeNaN();
  expect(nearestSlack(2 ** 23, "float64", 1, 1)).toBeLessThan(1e-7);
});

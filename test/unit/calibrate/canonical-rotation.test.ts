import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { canonicalRotation } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { Parameters } from "../../../offline-trainer/src/calibrate/types.ts";
import { largestDifference } from "../../support/fixture.ts";

function draw(random: RandomSource, dims: number, subjects = 7, items = 20): Parameters {
  const normal = (count: number): Float64Array => Float64Array.from({ length: count }, () => random.normal());
  return { theta: normal(subjects * dims), a: normal(items * dims), b: normal(items) };
}

function products({ theta, a }: Parameters, dims: number): number[] {
  const out: number[] = [];
  for (let m = 0; m < theta.length; m += dims)
    for (let i = 0; i < a.length; i += dims) {
      let sum = 0;
      for (let d = 0; d < dims; d++) sum += theta[m + d]! * a[i + d]!;
      out.push(sum);
    }
  return out;
}

/** Rows turned by two plane rotations and one reflection: another solution with the same a·θ. */
function turned({ theta, a, b }: Parameters, dims: number, angle: number): Parameters {
  const turn = (rows: Float64Array): Float64Array => {
    const out = rows.slice();
    for (let at = 0; at < out.length; at += dims) {
      for (const [p, q] of [
        [0, 1],
        [1, dims - 1],
      ] as const) {
        if (p === q) continue;
        const [u, v] = [out[at + p]!, out[at + q]!];
        out[at + p] = Math.cos(angle) * u - Math.sin(angle) * v;
        out[at + q] = Math.sin(angle) * u + Math.cos(angle) * v;
      }
      out[at] = -out[at]!;
    }
    return out;
  };
  return { theta: turn(theta), a: turn(a), b };
}

describe.each([1, 2, 3, 5])("in %d dimensions", (dims) => {
  const given = draw(createRandom(`rotation ${dims}`), dims);
  const result = canonicalRotation(given, dims);

  test("every a·θ and b stays the same", () => {
    expect(largestDifference(products(result, dims), products(given, dims))).toBeLessThan(1e-12);
    expect(result.b).toEqual(given.b);
    expect(result.b).not.toBe(given.b);
  });

  test("the axes are those of AᵀA, largest first, each with a positive sum", () => {
    const moment = (r: number, c: number): number => {
      let sum = 0;
      for (let i = 0; i < result.a.length; i += dims) sum += result.a[i + r]! * result.a[i + c]!;
      return sum;
    };
    for (let r = 0; r < dims; r++) {
      let sum = 0;
      for (let i = r; i < result.a.length; i += dims) sum += result.a[i]!;
      expect(sum).toBeGreaterThan(0);
      for (let c = 0; c < r; c++) expect(Math.abs(moment(r, c))).toBeLessThan(1e-12);
      if (r > 0) expect(moment(r, r)).toBeLessThan(moment(r - 1, r - 1));
    }
  });

  test("is the same from wherever the solution was turned to", () => {
    const other =
      dims === 1
        ? { ...given, theta: given.theta.map((value) => -value), a: given.a.map((value) => -value) }
        : turned(given, dims, 0.7);
    expect(largestDifference(other.a, given.a)).toBeGreaterThan(0.1);
    const again = canonicalRotation(other, dims);
    expect(largestDifference(again.a, result.a)).toBeLessThan(1e-12);
    expect(largestDifference(again.theta, result.theta)).toBeLessThan(1e-12);
  });
});

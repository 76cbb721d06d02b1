import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { looksLevel } from "anchoreval/internal/features/adaptive/core/looks-level";
import { expectBinomial } from "../../../../support/binomial.ts";

const evenly = (looks: number): number[] => Array.from({ length: looks }, (_, l) => l + 1);
const boundary = (level: number, looks: readonly number[]): number =>
  normalQuantile(0.5 + looksLevel(level, looks) / 2);

describe("Pocock's constants", () => {
  // Pocock (1977), Biometrika 64, table 1; Jennison & Turnbull (2000), Group Sequential Methods, table 2.1.
  test.each([
    [0.95, 1, 1.96],
    [0.95, 2, 2.178],
    [0.95, 3, 2.289],
    [0.95, 4, 2.361],
    [0.95, 5, 2.413],
    [0.95, 10, 2.555],
    [0.95, 15, 2.626],
    [0.95, 20, 2.672],
    [0.99, 2, 2.772],
    [0.99, 5, 2.986],
    [0.99, 10, 3.117],
    [0.99, 20, 3.225],
    [0.9, 2, 1.875],
    [0.9, 5, 2.122],
    [0.9, 10, 2.27],
    [0.9, 20, 2.392],
  ])("level %d, %d looks: %d", (level, looks, constant) => {
    expect(boundary(level, evenly(looks))).toBeCloseTo(constant, 3);
  });
});

test("looks that begin late, or stand close, make it less wide than as many evenly spread ones", () => {
  expect(boundary(0.95, [3, 4, 5, 6])).toBeLessThan(boundary(0.95, [1, 2, 3, 4]));
  expect(boundary(0.95, [19, 20])).toBeLessThan(boundary(0.95, [1, 2]));
  expect(boundary(0.95, [3, 4, 5, 6])).toBeGreaterThan(1.96);
});

test("random walks leave it as often as it says", () => {
  const looks = [2, 3, 4, 5, 6, 7, 8];
  const z = boundary(0.95, looks);
  const random = createRandom("walks");
  const walks = 40_000;
  let left = 0;
  for (let w = 0; w < walks; w++) {
    let sum = 0;
    let out = false;
    for (let time = 1; time <= 8; time++) {
      sum += random.normal();
      if (looks.includes(time) && Math.abs(sum) > z * Math.sqrt(time)) out = true;
    }
    if (out) left++;
  }
  expectBinomial(left, walks, 0.05);
});

test("no look or one look is the common level", () => {
  expect(looksLevel(0.95, [])).toBe(0.95);
  expect(looksLevel(0.8, [7])).toBe(0.8);
});

test("very high and very low levels stay levels", () => {
  for (const level of [0.01, 0.5, 0.999, 0.999_999]) {
    const found = looksLevel(level, evenly(20));
    expect(found).toBeGreaterThan(level);
    expect(found).toBeLessThan(1);
  }
});

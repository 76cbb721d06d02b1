import { describe, expect, test } from "vitest";
import {
  bendingPenalty,
  cubicBSplines,
  intervalOf,
  splinesAt,
} from "../../../../offline-trainer/src/methods/score-maps/b-splines.ts";

const breaks = Float64Array.of(-1, 0.2, 0.3, 2, 2.5);
const splines = cubicBSplines(breaks);

/** All functions' values at x. */
function rowAt(x: number): Float64Array {
  const values = new Float64Array(4);
  const row = new Float64Array(splines.count);
  const first = splinesAt(splines, x, values);
  row.set(values, first);
  return row;
}

describe("cubic B-splines", () => {
  test("there are three more than breaks less one; they sum to 1 and none is negative", () => {
    expect(splines.count).toBe(7);
    for (let x = -1; x <= 2.5; x += 0.05) {
      const row = rowAt(x);
      expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 14);
      expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
    }
    expect(Array.from(rowAt(-1))).toEqual([1, 0, 0, 0, 0, 0, 0]);
    expect(rowAt(2.5)[6]).toBeCloseTo(1, 14);
  });

  test("reproduce a cubic from its blossom, whose second derivative the penalty integrates", () => {
    // The coefficient of t³ is the product of the three inner knots (Marsden's identity).
    const c = Float64Array.from({ length: 7 }, (_, k) =>
      [1, 2, 3].reduce((product, own) => product * splines.knots[k + own]!, 1),
    );
    for (const x of [-1, -0.4, 0.2, 0.25, 1, 2.2, 2.5])
      expect(rowAt(x).reduce((sum, value, k) => sum + value * c[k]!, 0)).toBeCloseTo(x ** 3, 12);
    const penalty = bendingPenalty(splines);
    let square = 0;
    for (let r = 0; r < 7; r++) for (let k = 0; k < 7; k++) square += c[r]! * penalty[7 * r + k]! * c[k]!;
    expect(square).toBeCloseTo(12 * (2.5 ** 3 + 1), 10); // ∫ (6x)²
  });
});

test("intervalOf: left closed, the ends beyond", () => {
  expect([-5, -1, 0.1, 0.2, 0.29, 0.3, 2.4, 2.5, 9].map((x) => intervalOf(breaks, x))).toEqual([
    0, 0, 0, 1, 1, 2, 3, 3, 3,
  ]);
});

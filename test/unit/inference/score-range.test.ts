import { normalCdf, outsideProbability, percentile, scoreRange } from "anchoreval/core";
import { describe, expect, test } from "vitest";

const seen = [0.2, 0.3, 0.5, 0.5, 0.8];

describe("outsideProbability", () => {
  test("is Φ of the distance past the best and the worst, in units of the error", () => {
    const { above, below } = outsideProbability(0.75, seen, 0.05);
    expect(above).toBeCloseTo(normalCdf(-1), 15);
    expect(below).toBeCloseTo(normalCdf(-11), 15);
    expect(outsideProbability(0.8, seen, 0.05).above).toBe(0.5);
    expect(outsideProbability(0.2, seen, 0.05).below).toBe(0.5);
  });

  test("an estimator without error is certain, not undefined", () => {
    expect(outsideProbability(0.81, seen, 0)).toEqual({ above: 1, below: 0 });
    expect(outsideProbability(0.1, seen, 0)).toEqual({ above: 0, below: 1 });
    expect(outsideProbability(0.8, seen, 0).above).toBe(0.5);
  });

  test("one source model is best and worst", () => {
    expect(outsideProbability(0.5, [0.5], 0.1)).toEqual({ above: 0.5, below: 0.5 });
  });
});

test.each([
  [0, 0, "inside"],
  [0.0499, 0, "inside"],
  [0.025, 0.025, "edge"],
  [0.05, 0, "edge"],
  [0.5, 0, "edge"],
  [0, 0.5, "edge"],
  [0.501, 0, "outside"],
  [0.3, 0.3, "outside"],
  [1, 0, "outside"],
] as const)("above %d, below %d: %s", (above, below, expected) => {
  expect(scoreRange({ above, below })).toBe(expected);
});

test.each([
  [0.1, 0],
  [0.2, 0.1],
  [0.25, 0.2],
  [0.5, 0.6],
  [0.7, 0.8],
  [0.8, 0.9],
  [0.9, 1],
])("a score of %d is at percentile %d: ties count half", (score, expected) => {
  expect(percentile(score, seen)).toBeCloseTo(expected, 15);
});

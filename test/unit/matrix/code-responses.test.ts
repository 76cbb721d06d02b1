import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { binarizingThreshold, codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { responseMatrix, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

const items = ["a", "b", "c"].map((id) => ({ item_id: id, scenario: "s" }));

test("above the threshold is right, at it or below wrong, missing neither; rows as asked", () => {
  const matrix = responseMatrix(["x", "y", "z"], items, Float64Array.of(0.5, 0.75, NaN, 0.2, 0.9, 1, 0, 0.75, 0.25));
  const { subjects, items: count, signs } = codeResponses(matrix, [2, 0], 0.5);
  expect([subjects, count]).toEqual([2, 3]);
  expect(Array.from(signs)).toEqual([-1, 1, -1, -1, 1, 0]);
});

test("zeros and ones at a half", () => {
  const matrix = responseMatrix(["x"], items, Float64Array.of(1, 0, 1));
  expect(Array.from(codeResponses(matrix, [0], null).signs)).toEqual([1, -1, 1]);
});

function matrixOf(rows: readonly (readonly number[])[]): ResponseMatrix {
  return responseMatrix(
    rows.map((_, m) => `m${m}`),
    rows[0]!.map((_, i) => ({ item_id: `i${i}`, scenario: "s" })),
    Float64Array.from(rows.flat()),
  );
}

/** The rule as it is written down: every candidate, every model, one after the other. */
function bruteForce(matrix: ResponseMatrix, rows: readonly number[]): number {
  const columns = matrix.items.length;
  let best = { threshold: NaN, gap: Infinity };
  for (let k = 0; k < 100; k++) {
    const threshold = 0.01 + (0.98 * k) / 99;
    let gap = 0;
    for (const m of rows) {
      const scores: number[] = [];
      for (let i = 0; i < columns; i++)
        if (matrix.observed === null || matrix.observed[m * columns + i] === 1)
          scores.push(matrix.scores[m * columns + i]!);
      if (scores.length === 0) continue;
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      gap += Math.abs(scores.filter((score) => score > threshold).length / scores.length - mean);
    }
    if (gap < best.gap) best = { threshold, gap };
  }
  return best.threshold;
}

const random = createRandom("binarize");

describe("the threshold", () => {
  test.each([
    ["continuous", (): number => random.next()],
    ["on a coarse grid", (): number => random.below(5) / 4],
    ["mostly low", (): number => random.next() ** 3],
    ["mostly full marks", (): number => Math.min(1, 0.5 + random.next())],
    ["with answers missing", (): number => (random.next() < 0.3 ? NaN : random.next())],
  ])("is the one of least error: scores %s", (_, draw) => {
    for (let repeat = 0; repeat < 8; repeat++) {
      const matrix = matrixOf(Array.from({ length: 9 }, () => Array.from({ length: 25 }, draw)));
      // All rows, or some: nothing else is looked at.
      for (const rows of [
        [0, 1, 2, 3, 4, 5, 6, 7, 8],
        [1, 4, 7],
      ])
        expect(binarizingThreshold(matrix, rows)).toBe(bruteForce(matrix, rows));
    }
  });

  test("is the lowest of several that are as good", () => {
    // Every candidate from .01 on keeps this mean: 1, 1, 0, 0 but for a score that none of them is above.
    expect(binarizingThreshold(matrixOf([[1, 1, 0, 0.005]]), [0])).toBe(0.01);
  });

  test("a score on a candidate isn't above it", () => {
    // Two of four are above .4 (mean .5), so that the least threshold with .4 wrong is right.
    const threshold = binarizingThreshold(matrixOf([[0.4, 0.4, 0.6, 0.6]]), [0])!;
    expect(threshold).toBeGreaterThanOrEqual(0.4);
    expect(threshold).toBeLessThan(0.6);
  });
});

describe("there is none", () => {
  test("where every score is 0 or 1", () => {
    expect(binarizingThreshold(matrixOf([[0, 1, 1]]), [0])).toBeNull();
  });

  test("where the scores are 0 or 1 in these rows, whatever others are", () => {
    const matrix = matrixOf([
      [0, 1, 1],
      [1, 0, 0],
      [0.5, 0.5, 0.5],
    ]);
    expect(binarizingThreshold(matrix, [0, 1])).toBeNull();
    expect(binarizingThreshold(matrix, [0, 1, 2])).not.toBeNull();
  });

  test("where nothing was answered", () => {
    expect(binarizingThreshold(matrixOf([[NaN], [NaN], [0.5]]), [0, 1])).toBeNull();
  });
});

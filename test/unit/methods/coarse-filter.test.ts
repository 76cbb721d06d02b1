import { describe, expect, test } from "vitest";
import { coarseFilter, FILTER_RULES } from "../../../offline-trainer/src/methods/coarse-filter.ts";
import { ESSENCE_LIMITS } from "../../../offline-trainer/src/methods/essence/anchors.ts";
import { itemColumns, weightedScores } from "../../../offline-trainer/src/methods/item-columns.ts";
import { drawnColumns } from "./drawn-columns.ts";

/** 40 models, the stronger the later; items by hand. */
const above = (from: number) => Float64Array.from({ length: 40 }, (_, m) => (m >= from ? 1 : 0));
const answers = [
  above(20),
  above(0), // all right: constant
  above(1), // 97.5 % right: too easy
  Float64Array.from({ length: 40 }, (_, m) => m % 2), // even among strong and weak
  above(10),
  above(10), // the fifth once more
  above(30),
  above(20).map((score) => 0.9 * score),
];
const columns = itemColumns((item) => answers[item]!, answers.length);
const full = weightedScores(columns, new Float64Array(8).fill(1 / 8));
const limits = { ...ESSENCE_LIMITS, leastCorrelation: 0.3 };

describe("the coarse filter", () => {
  test("leaves out each kind, counts it under the first rule that it breaks, and keeps the first of those alike", () => {
    const { pool, dropped, needed } = coarseFilter(columns, full, [[4, 5]], limits, 1);
    expect(Array.from(pool)).toEqual([0, 4, 6, 7]);
    expect(dropped).toEqual({ constant: 1, tooEasy: 1, unrelated: 1, sameText: 1 });
    expect(needed).toBe(0);
  });

  test("leaves as many as are needed, its clearest cases going first, and says how many it had to keep", () => {
    const { pool, dropped, needed } = coarseFilter(columns, full, [[4, 5]], limits, 6);
    expect(Array.from(pool)).toEqual([0, 3, 4, 5, 6, 7]);
    expect(dropped).toEqual({ constant: 1, tooEasy: 1, unrelated: 0, sameText: 0 });
    expect(needed).toBe(3 - 1); // of the one that is unrelated and the copy
    expect(coarseFilter(columns, full, [], limits, 8).pool.length).toBe(8);
  });

  test("every item is in the pool or counted once", () => {
    const drawn = drawnColumns("filter", 30, 120);
    for (const least of [1, 60, 110, 120]) {
      const { pool, dropped } = coarseFilter(drawn.columns, drawn.full, [[1, 2, 3]], ESSENCE_LIMITS, least);
      const counted = FILTER_RULES.reduce((sum, rule) => sum + dropped[rule], 0);
      expect(pool.length + counted).toBe(120);
      expect(pool.length).toBeGreaterThanOrEqual(least);
    }
  });
});

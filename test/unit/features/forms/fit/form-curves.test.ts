import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnsweredItems } from "../../../../../features/forms/fit/difficulty.ts";
import { equatedScores, expectedScores, meanInformation } from "../../../../../features/forms/fit/form-curves.ts";

/** Items of a 2PL, the first of them the pool's item `first`. */
function answered(a: readonly number[], b: readonly number[], first = 0): AnsweredItems {
  const items = Uint32Array.from(a, (_, k) => first + k);
  return {
    items,
    bank: itemBank(Float64Array.from(a), Float64Array.from(b)),
    scoreMap: null,
    threshold: null,
    abilities: { values: Float64Array.of(-1, 0, 1), mean: 0, sd: 1 },
    curves: {
      count: a.length,
      width: 0,
      loadings: new Float64Array(0),
      noise: new Float64Array(a.length),
      expected: new Float64Array(a.length),
    },
    dims: 1,
    models: 3,
    converged: true,
  };
}

const list = (length: number, min: number, max: number): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min, max, noNaN: true }), { minLength: length, maxLength: length });

describe("true-score equating", () => {
  test("a form that is the whole pool keeps its scores", () => {
    const items = answered([1, 0.7, 1.5, 1], [-1, 0, 0.4, 2]);
    const table = equatedScores(items, [0, 1, 2, 3], [0, 1, 2, 3]);
    table.forEach((score, raw) => expect(score).toBeCloseTo(raw / 4, 9));
  });

  test("who has half of the hard items right is expected to have more of all: P at the ability that has a half there", () => {
    const items = answered([1, 1, 1, 1], [1, 1, -1, -1]);
    const table = equatedScores(items, [0, 1], [0, 1, 2, 3]);
    const at = Float64Array.of(1); // P of a hard item is a half
    const pool = [0, 1, 2, 3].reduce((sum, k) => sum + itemResponse(at, items.bank, k) / 4, 0);
    expect(table).toHaveLength(3);
    expect(table[1]).toBeCloseTo(pool, 3);
    expect([table[0], table[2]]).toEqual([0, 1]);
  });

  test("never falls, stays in [0,1], also with items that strong models miss", () => {
    fc.assert(
      fc.property(list(6, -1, 2), list(6, -3, 3), (a, b) => {
        const table = equatedScores(answered(a, b), [0, 1, 2], [0, 1, 2, 3, 4, 5]);
        expect(table[0]).toBeGreaterThanOrEqual(0);
        expect(table[3]).toBeLessThanOrEqual(1);
        for (let raw = 1; raw <= 3; raw++) expect(table[raw]!).toBeGreaterThanOrEqual(table[raw - 1]!);
      }),
    );
  });

  test("items without answers count for nothing in a curve", () => {
    const items = answered([1, 1], [0, 1], 3);
    const theta = Float64Array.of(0.3);
    expect(expectedScores(items, [0, 3, 5], theta)[0]).toBeCloseTo(itemResponse(theta, items.bank, 0), 15);
    expect(meanInformation(items, [3, 4], Float64Array.of(0.5))[0]).toBeCloseTo(0.235, 3);
    expect(expectedScores(items, [0, 1], theta)[0]).toBeNaN();
  });
});

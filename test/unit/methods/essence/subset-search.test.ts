import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { attribution, GROUPS, regroup } from "../../../../offline-trainer/src/methods/essence/subset-search.ts";
import { ridgeRegression } from "../../../support/source-answers.ts";
import { drawnColumns } from "../drawn-columns.ts";

const { columns, full } = drawnColumns("attribution", 14, 30);
const answer = (m: number, item: number): number => columns.scores[item * 14 + m]!;

describe("attribution", () => {
  test.each([5, 25])("is |β|·sd of the ridge regression on %i items", (size) => {
    const subset = Uint32Array.from({ length: size }, (_, j) => 29 - j);
    const rows = Array.from({ length: 14 }, (_, m) => Float64Array.from(subset, (item) => answer(m, item)));
    const predict = ridgeRegression(rows, full, 10);
    const zero = predict(new Float64Array(size));
    const own = attribution(columns, full, [subset]);
    subset.forEach((item, j) => {
      const slope = predict(Float64Array.from({ length: size }, (_, k) => (k === j ? 1 : 0))) - zero;
      const mean = rows.reduce((sum, row) => sum + row[j]! / 14, 0);
      const deviation = Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - mean) ** 2 / 14, 0));
      expect(own[item]).toBeCloseTo(Math.abs(slope) * deviation, 12);
    });
    for (let item = 0; item < 30 - size; item++) expect(own[item]).toBe(0);
  });

  test("averages over the subsets that hold an item", () => {
    const [one, other] = [Uint32Array.of(0, 1, 2), Uint32Array.of(2, 3)];
    const [first, second] = [attribution(columns, full, [one]), attribution(columns, full, [other])];
    const both = attribution(columns, full, [one, other]);
    expect(both[0]).toBe(first[0]);
    expect(both[3]).toBe(second[3]);
    expect(both[2]).toBeCloseTo((first[2]! + second[2]!) / 2, 15);
  });
});

describe("regrouping", () => {
  const pool = Uint32Array.from({ length: 20 }, (_, i) => 3 * i);
  const importance = Float64Array.from({ length: 60 }, (_, item) => (item < 30 ? 0 : item));

  test("three quarters each: the highest, the lowest, random ones; ascending, out of the pool", () => {
    const groups = regroup(pool, importance, 4, createRandom(1));
    for (const name of GROUPS) {
      const own = Array.from(groups[name]);
      expect(own.length).toBe(15);
      expect(own).toEqual([...new Set(own)].toSorted((x, y) => x - y));
      expect(own.every((item) => item % 3 === 0)).toBe(true);
    }
    expect(Array.from(groups.high).filter((item) => item >= 30).length).toBe(10);
    expect(Array.from(groups.low).filter((item) => item < 30).length).toBe(10);
    expect(Math.max(...groups.low)).toBe(42);
    const others = regroup(pool, importance, 4, createRandom(2));
    expect(others.random).not.toEqual(groups.random);
    expect(others.high).not.toEqual(groups.high); // of the equally unimportant others are taken
  });

  test("never fewer than k", () => {
    for (const group of Object.values(regroup(pool, importance, 19, createRandom(1)))) expect(group.length).toBe(19);
  });
});

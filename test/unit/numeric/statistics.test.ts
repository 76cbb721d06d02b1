import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kendall, ranks, spearman } from "../../../offline-trainer/src/numeric/statistics.ts";
import "../../support/arbitraries.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";

interface RankFixture {
  readonly tolerance: { readonly absolute: number };
  readonly cases: readonly {
    readonly name: string;
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly ranks: readonly number[];
    readonly spearman: number;
    readonly kendall: number;
  }[];
}

describe("against SciPy", () => {
  const { cases, tolerance } = readFixture<RankFixture>("sklearn/rank-correlation.json");

  test.each(cases)("$name", ({ x, y, ranks: expected, ...measures }) => {
    expect(Array.from(ranks(x))).toEqual(expected);
    const actual = [spearman(x, y)!, kendall(x, y)!];
    expect(largestDifference(actual, [measures.spearman, measures.kendall])).toBeLessThan(tolerance.absolute);
  });
});

describe("by their definitions, with many ties", () => {
  const pairs = fc.array(fc.tuple(fc.nat(4), fc.nat(6)), { minLength: 1, maxLength: 25 });
  const check = (law: (x: number[], y: number[]) => void): void =>
    fc.assert(
      fc.property(pairs, (list) =>
        law(
          list.map(([x]) => x),
          list.map(([, y]) => y),
        ),
      ),
    );
  const varies = (values: readonly number[]): boolean => new Set(values).size > 1;

  test("a rank is the number of smaller values, and the middle of the equal ones", () => {
    check((x) => {
      const expected = x.map(
        (value) => x.filter((other) => other < value).length + (x.filter((other) => other === value).length + 1) / 2,
      );
      expect(Array.from(ranks(x))).toEqual(expected);
    });
  });

  test("Spearman's is Pearson's of the ranks", () => {
    check((x, y) => {
      const [left, right] = [ranks(x), ranks(y)];
      const product = (u: Float64Array, v: Float64Array): number =>
        u.length * u.reduce((sum, value, k) => sum + value * v[k]!, 0) -
        u.reduce((sum, value) => sum + value, 0) * v.reduce((sum, value) => sum + value, 0);
      if (!varies(x) || !varies(y)) expect(spearman(x, y)).toBeNull();
      else
        expect(spearman(x, y)).toBeCloseTo(
          product(left, right) / Math.sqrt(product(left, left) * product(right, right)),
          12,
        );
    });
  });

  test("τ-b: (C − D) / √((n₀ − n₁)(n₀ − n₂)), n₁ and n₂ the pairs tied on a side", () => {
    check((x, y) => {
      const count = (is: (i: number, j: number) => boolean): number =>
        x.reduce((sum, _, i) => sum + x.filter((_, j) => is(i, j)).length, 0);
      const difference =
        count((i, j) => x[i]! > x[j]! && y[i]! > y[j]!) - count((i, j) => x[i]! > x[j]! && y[i]! < y[j]!);
      const all = count((i, j) => i < j);
      const tied = (values: readonly number[]): number => count((i, j) => i < j && values[i] === values[j]);
      if (!varies(x) || !varies(y)) expect(kendall(x, y)).toBeNull();
      else expect(kendall(x, y)).toBeCloseTo(difference / Math.sqrt((all - tied(x)) * (all - tied(y))), 12);
    });
  });

  test("neither side comes first, only order counts, and turning one side round turns the sign", () => {
    check((x, y) => {
      if (!varies(x) || !varies(y)) return;
      for (const measure of [spearman, kendall]) {
        const value = measure(x, y)!;
        expect(measure(y, x)).toBeCloseTo(value, 12);
        expect(
          measure(
            x.map((v) => Math.exp(v) - 40),
            y,
          ),
        ).toBe(value);
        expect(
          measure(
            x.map((v) => -v),
            y,
          ),
        ).toBeCloseTo(-value, 12);
      }
    });
  });
});

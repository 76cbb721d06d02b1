import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { replicateGroups, unvariedScenarios, withoutCopies } from "../../../offline-trainer/src/matrix/replicates.ts";
import { responseMatrix, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

function matrixOf(rows: readonly ArrayLike<number>[]): ResponseMatrix {
  return responseMatrix(
    rows.map((_, m) => `m${m}`),
    Array.from({ length: rows[0]!.length }, (_, i) => ({ item_id: `i${i}`, scenario: "s" })),
    Float64Array.from(rows.flatMap((row) => Array.from(row))),
  );
}

const random = createRandom("replicates");
const answers = (count: number): number[] => Array.from({ length: count }, () => random.below(2));
/** The row with the first `flips` answers turned. */
const turned = (row: readonly number[], flips: number): number[] =>
  row.map((value, i) => (i < flips ? 1 - value : value));
const groupsOf = (rows: readonly ArrayLike<number>[]): number[] => Array.from(replicateGroups(matrixOf(rows)));

describe("models are one", () => {
  test.each([
    [100, 2, true],
    [100, 3, false], // 97 % is not more than 97 %
    [100, 4, false],
    [200, 5, true],
    [200, 6, false],
    [1000, 29, true],
    [1000, 30, false],
    [33, 0, true],
    [33, 1, false], // 96.97 %
    [34, 1, true], // 97.06 %
  ])("of %d answers %d differing: %s", (count, flips, same) => {
    const row = answers(count);
    expect(groupsOf([row, turned(row, flips)])).toEqual([0, same ? 0 : 1]);
  });

  test("also through a third: closed transitively, numbered by first appearance", () => {
    const row = answers(200);
    const between = turned(row, 4);
    const far = between.map((value, i) => (i >= 196 ? 1 - value : value)); // 8 from the first
    const other = answers(200);
    expect(groupsOf([other, far, row, answers(200), between])).toEqual([0, 1, 1, 2, 1]);
    expect(groupsOf([other, far, row, answers(200)])).toEqual([0, 1, 2, 3]);
  });

  test("by the answers that both gave, twenty at least", () => {
    const row = answers(100);
    const gaps = (from: number): number[] => row.map((value, i) => (i < from ? NaN : value));
    expect(groupsOf([row, gaps(80)])).toEqual([0, 0]); // twenty shared
    expect(groupsOf([row, gaps(81)])).toEqual([0, 1]); // nineteen
    // A difference where one didn't answer is none.
    expect(groupsOf([turned(row, 50), gaps(50)])).toEqual([0, 0]);
  });

  test("by the side of a half that scores lie on", () => {
    const row = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 0.4 : 0.6));
    expect(groupsOf([row, row.map((value) => (value > 0.5 ? 0.95 : 0.1))])).toEqual([0, 0]);
    expect(groupsOf([row, row.map((value) => 1 - value)])).toEqual([0, 1]);
  });
});

test("is what comparing every pair answer by answer gives, missing ones and all", () => {
  for (let repeat = 0; repeat < 5; repeat++) {
    const bases = Array.from({ length: 4 }, () => answers(77)); // not a multiple of 32
    const rows = Array.from({ length: 18 }, () => {
      const base = bases[random.below(4)]!;
      return base.map((value) => (random.next() < 0.15 ? NaN : random.next() < 0.02 ? 1 - value : value));
    });
    const groups = rows.map((_, m) => m);
    for (let left = 0; left < 18; left++)
      for (let other = 0; other < left; other++) {
        const shared = rows[left]!.flatMap((value, i) =>
          Number.isNaN(value) || Number.isNaN(rows[other]![i]!) ? [] : [value === rows[other]![i]! ? 1 : 0],
        );
        const agreeing = shared.reduce<number>((sum, value) => sum + value, 0);
        if (shared.length < 20 || agreeing <= 0.97 * shared.length) continue;
        const [from, to] = [groups[left]!, groups[other]!];
        groups.forEach((group, m) => {
          if (group === from) groups[m] = to;
        });
      }
    const found = groupsOf(rows);
    for (let left = 0; left < 18; left++)
      for (let other = 0; other < left; other++)
        expect(found[left] === found[other]).toBe(groups[left] === groups[other]);
    expect(new Set(found).size).toBeLessThan(18);
  }
});

test("of very many items enough are compared: replicates are found, others aren't made ones", () => {
  const row = answers(10_000);
  const near = row.map((value) => (random.next() < 0.01 ? 1 - value : value));
  const away = row.map((value) => (random.next() < 0.05 ? 1 - value : value));
  expect(groupsOf([row, near, away])).toEqual([0, 0, 1]);
});

describe("copies", () => {
  test("are models that answer every item alike: the first stays", () => {
    const [row, other] = [answers(60), answers(60)];
    const { matrix, copies } = withoutCopies(matrixOf([other, row, other, turned(row, 1), row, row]));
    expect(matrix.subjects).toEqual(["m0", "m1", "m3"]);
    expect([...copies]).toEqual([
      ["m2", "m0"],
      ["m4", "m1"],
      ["m5", "m1"],
    ]);
    expect(Array.from(matrix.scores)).toEqual([...other, ...row, ...turned(row, 1)]);
  });

  test("without one the matrix is the same", () => {
    const matrix = matrixOf([answers(60), answers(60)]);
    expect(withoutCopies(matrix)).toEqual({ matrix, copies: new Map() });
  });

  test("a missing answer is no wrong one", () => {
    const row = [...answers(60), 0];
    expect(withoutCopies(matrixOf([row, [...row.slice(0, 60), NaN]])).copies.size).toBe(0);
    expect(
      withoutCopies(
        matrixOf([
          [...row, NaN],
          [...row, NaN],
        ]),
      ).copies,
    ).toEqual(new Map([["m1", "m0"]]));
  });

  test.each([4, 5])("with %d wrong answers that are all another's: copies from five", (wrong) => {
    const row = Array.from({ length: 40 }, (_, i) => (i < wrong ? 0 : 1));
    expect(withoutCopies(matrixOf([row, row])).copies.size).toBe(wrong < 5 ? 0 : 1);
    const few = row.map((score) => 1 - score);
    expect(withoutCopies(matrixOf([few, few])).copies.size).toBe(wrong < 5 ? 0 : 1);
  });
});

test("scenarios in which nothing varies", () => {
  const items = ["a/1", "a/2", "b/1"].map((id) => ({ item_id: id, scenario: id[0]! }));
  const of = (rows: readonly (readonly number[])[]): string[] =>
    unvariedScenarios(responseMatrix(["m", "n"], items, Float64Array.from(rows.flat())));
  expect(of([[1, 0, 1], [1, 0, 0]])).toEqual(["a"]); // prettier-ignore
  expect(of([[1, 0, NaN], [1, 1, 0]])).toEqual(["b"]); // prettier-ignore
  expect(of([[0.5, 1, 1], [0.5, 1, 1]])).toEqual(["a", "b"]); // prettier-ignore
});

import { createRandom } from "anchoreval/internal/core/numeric/random";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { describe, expect, test } from "vitest";
import { withoutCopies } from "../../../../offline-trainer/src/matrix/alike/copies.ts";
import { replicateGroups } from "../../../../offline-trainer/src/matrix/alike/replicates.ts";
import { boardOf } from "./boards.ts";

const random = createRandom("copies");
const answers = (count: number): number[] => Array.from({ length: count }, () => random.below(2));

describe("copies", () => {
  test("are models that answer every item alike: the first stays", () => {
    const [row, other] = [answers(60), answers(60)];
    const turned = row.map((value, i) => (i === 0 ? 1 - value : value));
    const { matrix, copies } = withoutCopies(boardOf([other, row, other, turned, row, row]));
    expect(matrix.subjects).toEqual(["m0", "m1", "m3"]);
    expect([...copies]).toEqual([
      ["m2", "m0"],
      ["m4", "m1"],
      ["m5", "m1"],
    ]);
    expect(Array.from(matrix.scores)).toEqual([...other, ...row, ...turned]);
  });

  test("without one the matrix is the same", () => {
    const matrix = boardOf([answers(60), answers(60)]);
    expect(withoutCopies(matrix)).toEqual({ matrix, copies: new Map() });
  });

  test("a missing answer is no wrong one", () => {
    const row = [...answers(60), 0];
    expect(withoutCopies(boardOf([row, [...row.slice(0, 60), NaN]])).copies.size).toBe(0);
    const twice = [[...row, NaN], [...row, NaN]]; // prettier-ignore
    expect(withoutCopies(boardOf(twice)).copies).toEqual(new Map([["m1", "m0"]]));
  });

  test("aren't models that chance makes alike: half of the items solved by nearly all, half by nearly none", () => {
    const levels = Array.from({ length: 40 }, () => random.normal());
    const rows = levels.map((level) =>
      Array.from({ length: 60 }, (_, i) => Number(random.next() < sigmoid(level + (i % 2 === 0 ? 4 : -4)))),
    );
    expect(new Set(rows.map((row) => row.join())).size).toBeLessThan(35);
    const board = boardOf(rows);
    expect(withoutCopies(board).copies.size).toBe(0);
    expect(new Set(replicateGroups(board)).size).toBe(40);
    const unlike = rows[0]!.map((score, i) => (i % 8 === 0 ? 1 - score : score));
    expect([...withoutCopies(boardOf([...rows, unlike, unlike])).copies]).toEqual([["m41", "m40"]]);
  });

  test("of graded scores are found on ten items already; judges' highest scores aren't", () => {
    const graded = Array.from({ length: 12 }, () => Array.from({ length: 10 }, () => random.next()));
    expect([...withoutCopies(boardOf([...graded, graded[3]!])).copies.values()]).toEqual(["m3"]);
    const judged = Array.from({ length: 30 }, () =>
      Array.from({ length: 20 }, () => (random.next() < 0.97 ? 1 : 0.75)),
    );
    expect(withoutCopies(boardOf(judged)).copies.size).toBe(0);
  });

  test.each([4, 5])("with %d answers beside the commonest that are all another's: copies from five", (few) => {
    for (const [rare, common] of [
      [0, 1],
      [1, 0],
      [0.7, 0.9],
      [0.2, 0.1],
    ] as const) {
      // prettier-ignore
      const row = Array.from({ length: 40 }, (_, i) => (i < few ? rare : common));
      expect(withoutCopies(boardOf([row, row])).copies.size).toBe(few < 5 ? 0 : 1);
    }
  });
});

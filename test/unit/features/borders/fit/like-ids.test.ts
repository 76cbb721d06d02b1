import { describe, expect, test } from "vitest";
import { checkBoard } from "../../../../../features/borders/fit/border-check.ts";
import type { ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { refusal } from "../../../../support/refusal.ts";
import { board, codes, drawn, refused } from "./boards.ts";

describe("names", () => {
  const columns = drawn(24);
  const named = (names: Partial<Record<"model" | "item" | "scenario", readonly [string, string]>>): ResponseMatrix =>
    board(
      columns.map((column, k) => ({
        ...column,
        id: names.item?.[k] ?? column.id,
        scenario: names.scenario?.[k === 0 ? 0 : 1] ?? "all",
      })),
      columns[0]!.scores.map((_, m) => names.model?.[m] ?? `m${m}`),
    );

  test.each(["model", "item", "scenario"] as const)("of a %s with white space at an end are refused", (kind) => {
    for (const name of ["math ", " math", "math\u00a0", "\u200bmath", "math\u3000", "math\u00ad", "math\u200e"])
      expect(refused(named({ [kind]: [name, "code"] }))).toEqual([["id_white_space", name]]);
  });

  test.each(["model", "item", "scenario"] as const)("of a %s that differ in what is hardly seen are named", (kind) => {
    for (const pair of [
      ["Math", "math"],
      ["a b", "a  b"],
      ["a b", "a\u00a0b"],
      ["ｍath", "math"],
      ["ma\u200bth", "math"],
      ["ma\u00adth", "math"],
      ["a\u2010b", "a-b"],
      ["Straße", "STRASSE"],
      ['"math"', "math"],
      ["1", "01"],
      ["x/1", "x/1.0"],
    ] as const)
      // prettier-ignore
      expect(codes(named({ [kind]: pair })), pair.join()).toEqual(["ids_alike"]);
    for (const pair of [
      ["math", "maths"],
      ["a b", "ab"],
      ["a-1", "a_1"],
      ["10", "1"],
      ["v1.5", "v1.50"],
    ] as const)
      expect(codes(named({ [kind]: pair })), pair.join()).toEqual([]);
  });

  test("of models with and without their organization, or a slash at the end, are named", () => {
    for (const pair of [
      ["org/a", "a"],
      ["x/y/A", "a"],
      ["org/a", "org/a/"],
    ] as const)
      expect(codes(named({ model: pair })), pair.join()).toEqual(["ids_alike"]);
    expect(codes(named({ model: ["org/a", "other/a"] }))).toEqual([]);
    expect(codes(named({ item: ["quiz/a", "a"] }))).toEqual([]);
  });

  test("of items that are one number are refused where no model answered both, and named where one did", () => {
    const columns = drawn(6);
    const ids = ["1", "2", "3", "1.0", "2.0", "003"];
    const apart = columns.map((column, k) => ({
      ...column,
      id: ids[k]!,
      scores: column.scores.map((score, m) => (m % 2 === Number(k < 3) ? NaN : score)),
    }));
    expect(refused(board(apart))).toEqual([["ids_alike", "003"]]);
    expect(refusal(() => checkBoard("t.csv", board(apart))).message).toContain(
      '"1" and "1.0"; "2" and "2.0"; "3" and "003"',
    );
    expect(refused(board(apart.map((column) => ({ ...column, id: `quiz/${column.id}` })))).length).toBe(1);
    expect(codes(board(columns.map((column, k) => ({ ...column, id: ids[k]! }))))).toEqual(["ids_alike"]);
    for (const others of [
      ["1.1", "1.10"],
      ["1", "1.5"],
      ["a1", "a1.0"],
      ["0", "00.5"],
      ["a/1", "b/1.0"],
    ])
      expect(
        codes(board(columns.map((column, k) => ({ ...column, id: others[k] ?? column.id })))),
        others.join(),
      ).toEqual([]);
  });

  test("a scenario called as the mean over all is refused", () => {
    for (const name of ["overall", "Overall"])
      expect(refused(named({ scenario: [name, "math"] }))).toEqual([["reserved_name", name]]);
    expect(codes(named({ model: ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a"] }))).toEqual([]);
  });
});

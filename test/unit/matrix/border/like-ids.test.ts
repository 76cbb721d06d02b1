import { describe, expect, test } from "vitest";
import type { ResponseMatrix } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
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

  test("a scenario called as the mean over all is refused", () => {
    for (const name of ["overall", "Overall"])
      expect(refused(named({ scenario: [name, "math"] }))).toEqual([["reserved_name", name]]);
    expect(codes(named({ model: ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "a"] }))).toEqual([]);
  });
});

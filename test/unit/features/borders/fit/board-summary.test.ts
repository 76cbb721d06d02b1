import { expect, test } from "vitest";
import { unvariedScenarios } from "../../../../../features/borders/fit/board-summary.ts";
import { responseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";

test("scenarios in which nothing varies", () => {
  const items = ["a/1", "a/2", "b/1"].map((id) => ({ item_id: id, scenario: id[0]! }));
  const of = (rows: readonly (readonly number[])[]): string[] =>
    unvariedScenarios(responseMatrix(["m", "n"], items, Float64Array.from(rows.flat())));
  expect(of([[1, 0, 1], [1, 0, 0]])).toEqual(["a"]); // prettier-ignore
  expect(of([[1, 0, NaN], [1, 1, 0]])).toEqual(["b"]); // prettier-ignore
  expect(of([[0.5, 1, 1], [0.5, 1, 1]])).toEqual(["a", "b"]); // prettier-ignore
});

import { expect, test } from "vitest";
import { responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";

const items = ["a", "b", "c"].map((id) => ({ item_id: id, scenario: "s" }));

test("above the threshold is right, at it or below wrong, missing neither; rows as asked", () => {
  const matrix = responseMatrix(["x", "y", "z"], items, Float64Array.of(0.5, 0.75, NaN, 0.2, 0.9, 1, 0, 0.75, 0.25));
  const { subjects, items: count, signs } = codeResponses(matrix, [2, 0], Float64Array.of(0.5, 0.75, 0.2));
  expect([subjects, count]).toEqual([2, 3]);
  expect(Array.from(signs)).toEqual([-1, -1, 1, -1, -1, 0]);
});

test("zeros and ones at a half", () => {
  const matrix = responseMatrix(["x"], items, Float64Array.of(1, 0, 1));
  expect(Array.from(codeResponses(matrix, [0], new Float64Array(3).fill(0.5)).signs)).toEqual([1, -1, 1]);
});

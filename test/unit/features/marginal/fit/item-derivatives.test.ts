import { cholesky } from "anchoreval/internal/core/numeric/dense";
import { expect, test } from "vitest";
import { factorInPlace } from "../../../../../features/marginal/fit/item-derivatives.ts";

const matrix = [4, 1, -0.5, 1, 3, 0.2, -0.5, 0.2, 2];

test("factors within a larger array as the SDK does alone", () => {
  const larger = Float64Array.from([9, 9, ...matrix, 9]);
  expect(factorInPlace(larger, 2, 3)).toBe(true);
  const l = cholesky(Float64Array.from(matrix), 3)!;
  for (let r = 0; r < 3; r++) for (let s = 0; s <= r; s++) expect(larger[2 + r * 3 + s]).toBeCloseTo(l[r * 3 + s]!, 15);
  expect([larger[0], larger[1], larger[11]]).toEqual([9, 9, 9]);
});

test.each([
  ["negative", [1, 2, 2, 1]],
  ["singular", [1, 1, 1, 1]],
  ["nothing", [0, 0, 0, 0]],
  ["no number", [NaN, 0, 0, 1]],
])("what is %s is not positive definite", (_, values) => {
  expect(factorInPlace(Float64Array.from(values), 0, 2)).toBe(false);
});

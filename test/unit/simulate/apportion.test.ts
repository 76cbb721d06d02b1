import { expect, test } from "vitest";
import { apportion } from "../../../offline-trainer/src/simulate/apportion.ts";

test("the largest remainders get the rest", () => {
  expect(apportion(10, [1, 1, 2], 1)).toEqual([3, 3, 4]);
  expect(apportion(100, [1, 1, 1], 0)).toEqual([34, 33, 33]);
});

test("each part has the least, whatever its weight", () => {
  expect(apportion(6, [1e-9, 1, 1e-9], 2)).toEqual([2, 2, 2]);
  expect(apportion(9, [1e-9, 1, 1e-9], 2)).toEqual([2, 5, 2]);
});

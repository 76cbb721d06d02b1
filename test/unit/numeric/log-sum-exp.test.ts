import { logSumExp } from "anchoreval/core";
import { expect, test } from "vitest";

test("is the log of the sum of exponentials", () => {
  expect(logSumExp([0, 0])).toBe(Math.LN2);
  expect(logSumExp([Math.log(1), Math.log(2), Math.log(3)])).toBeCloseTo(Math.log(6), 15);
  expect(logSumExp([7])).toBe(7);
});

test("neither overflows nor underflows", () => {
  expect(logSumExp([1e4, 1e4])).toBe(1e4 + Math.LN2);
  expect(logSumExp([-1e4, -1e4])).toBe(-1e4 + Math.LN2);
  expect(logSumExp([-1e4, 0])).toBe(0);
  expect(logSumExp([-Infinity, 3])).toBe(3);
});

test("no terms give −∞, NaN stays NaN", () => {
  expect(logSumExp([])).toBe(-Infinity);
  expect(logSumExp([-Infinity, -Infinity])).toBe(-Infinity);
  expect(logSumExp([NaN, 0])).toBeNaN();
  expect(logSumExp([0, NaN])).toBeNaN();
});

test("adding a constant to every term adds it to the result", () => {
  const values = [-3.2, 0.1, 2.7, 2.6];
  expect(logSumExp(values.map((value) => value + 500))).toBeCloseTo(logSumExp(values) + 500, 11);
});

import { expect, test } from "vitest";
import { strength } from "../../../offline-trainer/src/matrix/splits.ts";

const scores = (...values: number[]): { score: Float64Array } => ({ score: Float64Array.from(values) });

test("one scenario: the order of its scores", () => {
  const values = strength([scores(0.2, 0.9, 0.5, 0.1)]);
  expect([...values.keys()].sort((x, y) => values[x]! - values[y]!)).toEqual([3, 0, 2, 1]);
});

test("scenarios count the same, however hard they are and however far their scores lie apart", () => {
  const narrow = scores(0.9, 0.91, 0.92);
  const wide = scores(0.8, 0.4, 0);
  for (const value of strength([narrow, wide])) expect(value).toBeCloseTo(0, 12);
});

test("a model that lacks a scenario has the strength of the others; one without any score has none", () => {
  const [, , third, last] = strength([scores(0, 1, 0.5, NaN), scores(0, 1, NaN, NaN)]);
  expect(third).toBeCloseTo(0, 12);
  expect(last).toBeNaN();
});

test("equal scores are equal strengths, not a division by nothing", () => {
  expect([...strength([scores(0.5, 0.5)])]).toEqual([0, 0]);
});

import { expect, test } from "vitest";
import { inclusionProbabilities } from "../../../sdk/core/numeric/sampling.ts";

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

test.each([
  ["equal weights", [1, 1, 1, 1], 2, [0.5, 0.5, 0.5, 0.5]],
  ["in proportion where none is certain", [1, 2, 3, 4], 2, [0.2, 0.4, 0.6, 0.8]],
  ["the heaviest certain, the rest shares what is left", [10, 1, 1, 2], 2, [1, 0.25, 0.25, 0.5]],
  ["one makes the next certain", [8, 3, 1, 1], 3, [1, 1, 0.5, 0.5]],
  ["exactly certain", [2, 1, 1], 2, [1, 0.5, 0.5]],
  ["all", [3, 1, 5], 3, [1, 1, 1]],
  ["one", [3, 1, 4], 1, [3 / 8, 1 / 8, 4 / 8]],
])("%s", (_, weights, n, expected) => {
  const result = inclusionProbabilities(Float64Array.from(weights), n);
  expected.forEach((value, i) => expect(result[i]).toBeCloseTo(value, 14));
  expect(sum(result)).toBeCloseTo(n, 12);
});

test("does not depend on the scale of the weights or the order of the items", () => {
  const weights = Float64Array.of(0.7, 0.1, 0.4, 3, 0.2, 1.4);
  const result = inclusionProbabilities(weights, 3);
  const scaled = inclusionProbabilities(
    weights.map((value) => 1e-4 * value),
    3,
  );
  const turned = inclusionProbabilities(weights.toReversed(), 3).toReversed();
  result.forEach((value, i) => {
    expect(scaled[i]).toBeCloseTo(value, 14);
    expect(turned[i]).toBeCloseTo(value, 14);
  });
});

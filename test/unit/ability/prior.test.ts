import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const { cases } = readFixture<{
  cases: {
    name: string;
    prior: { mean: number[]; covariance: number[]; scale: number };
    expected: { precision: number[] };
  }[];
}>("numpy/map.json");

test.each(cases)("N(μ, k²Σ): precision of $name", ({ prior, expected }) => {
  const made = scaledPrior(Float64Array.from(prior.mean), Float64Array.from(prior.covariance), prior.scale);
  expect(Array.from(made.mean)).toEqual(prior.mean);
  made.precision.forEach((value, k) => expect(value).toBeCloseTo(expected.precision[k]!, 13));
});

test.each([
  ["a negative variance", [-1], 1],
  ["a covariance past its bound", [1, 2, 2, 1], 1],
  ["scale 0", [1], 0],
  ["a negative scale", [1], -1],
  ["a scale that is no number", [1], NaN],
  ["a covariance that is no number", [NaN], 1],
])("%s is refused", (_, covariance, scale) => {
  const mean = new Float64Array(Math.sqrt(covariance.length));
  expectRefusal(
    refusal(() => scaledPrior(mean, Float64Array.from(covariance), scale)),
    "invalid_data",
    "not a Gaussian",
  );
});

import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior, type AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { describe, expect, test } from "vitest";
import { bankOf, largestDifference, readFixture, type FixtureItems } from "../../support/fixture.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { theta: number; covariance: number };
  cases: {
    name: string;
    items: FixtureItems;
    scores: number[];
    prior: { mean: number[]; covariance: number[]; scale: number };
    expected: { theta: number[]; covariance: number[] };
  }[];
}>("numpy/map.json");

describe.each(cases)("$name", ({ items, scores, prior, expected }) => {
  const ability = mapAbility(
    bankOf(items),
    { items: scores.map((_, i) => i), scores },
    scaledPrior(Float64Array.from(prior.mean), Float64Array.from(prior.covariance), prior.scale),
  );

  test("finds SciPy's mode", () => {
    expect(ability.status).toBe("converged");
    expect(largestDifference(ability.theta, expected.theta)).toBeLessThan(tolerance.theta);
  });

  test("with (I + Λ)⁻¹ as covariance, and its diagonal's root as standard error", () => {
    const { dims } = items;
    expect(largestDifference(ability.covariance, expected.covariance)).toBeLessThan(tolerance.covariance);
    ability.standardError.forEach((value, d) => expect(value).toBe(Math.sqrt(ability.covariance[d * (dims + 1)]!)));
  });

  test("in few steps", () => {
    expect(ability.iterations).toBeLessThan(60);
  });
});

const standard: AbilityPrior = { mean: Float64Array.of(0), precision: Float64Array.of(1) };
const one = itemBank(Float64Array.of(1, 1.5, 0.7), Float64Array.of(0, 0.5, -0.5));

test("no answers give the prior itself", () => {
  const prior = scaledPrior(Float64Array.of(0.3, -0.2), Float64Array.of(1, 0.3, 0.3, 2), 1.5);
  const bank = itemBank(Float64Array.of(1, 1), Float64Array.of(0));
  const ability = mapAbility(bank, { items: [], scores: [] }, prior);
  expect(ability.theta).toEqual(prior.mean);
  expect(largestDifference(ability.covariance, [2.25, 0.675, 0.675, 4.5])).toBeLessThan(1e-14);
  expect(ability).toMatchObject({ status: "converged", iterations: 0 });
});

test("an item without discrimination leaves the prior alone", () => {
  const flat = itemBank(Float64Array.of(0), Float64Array.of(2));
  expect(mapAbility(flat, { items: [0], scores: [1] }, standard)).toMatchObject({
    theta: Float64Array.of(0),
    covariance: Float64Array.of(1),
  });
});

test("the prior of the caller is not written to", () => {
  const prior = { mean: Float64Array.of(0.5), precision: Float64Array.of(1) };
  mapAbility(one, { items: [0, 1, 2], scores: [1, 1, 1] }, prior);
  expect(prior).toEqual({ mean: Float64Array.of(0.5), precision: Float64Array.of(1) });
});

test("says that it stopped early", () => {
  const ability = mapAbility(one, { items: [0, 1, 2], scores: [1, 1, 1] }, standard, { maxIterations: 0 });
  expect(ability.status).toBe("max-iterations");
  expect(Number.isFinite(ability.theta[0])).toBe(true);
});

test.each([
  ["a parameter", itemBank(Float64Array.of(NaN), Float64Array.of(0)), 1],
  ["a score", itemBank(Float64Array.of(1), Float64Array.of(0)), NaN],
])("%s that is no number is a failure, not an ability", (_, bank, score) => {
  expectRefusal(
    refusal(() => mapAbility(bank, { items: [0], scores: [score] }, standard)),
    "numeric_failure",
    "not finite",
  );
});

test("steep items far from the prior don't throw it off", () => {
  // A full Newton step from the prior mean overshoots here by orders of magnitude; damping must catch it.
  const steep = itemBank(Float64Array.of(40, 40, 40, 40), Float64Array.of(120, 130, -200, 400));
  const ability = mapAbility(
    steep,
    { items: [0, 1, 2, 3], scores: [1, 1, 1, 0] },
    {
      mean: Float64Array.of(-5),
      precision: Float64Array.of(0.01),
    },
  );
  expect(ability.status).toBe("converged");
  expect(ability.theta[0]).toBeGreaterThan(130 / 40);
  expect(ability.theta[0]).toBeLessThan(400 / 40);
});

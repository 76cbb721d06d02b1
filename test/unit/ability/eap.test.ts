import { eapAbility, itemBank, mapAbility } from "anchoreval/core";
import { expect, test } from "vitest";
import { bankOf, readFixture, type FixtureItems } from "../../support/fixture.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const { cases, tolerance } = readFixture<{
  tolerance: { theta: number; standardError: number };
  cases: {
    name: string;
    items: FixtureItems;
    scores: number[];
    prior: { mean: number; variance: number };
    expected: { theta: number; standardError: number };
  }[];
}>("numpy/eap.json");

test.each(cases)("the posterior's mean and standard deviation: $name", ({ items, scores, prior, expected }) => {
  const ability = eapAbility(
    bankOf(items),
    { items: scores.map((_, i) => i), scores },
    { mean: Float64Array.of(prior.mean), precision: Float64Array.of(1 / prior.variance) },
  );
  expect(Math.abs(ability.theta[0]! - expected.theta)).toBeLessThan(tolerance.theta);
  expect(Math.abs(ability.standardError[0]! - expected.standardError)).toBeLessThan(tolerance.standardError);
  expect(ability.covariance[0]).toBeCloseTo(ability.standardError[0]! ** 2, 12);
  expect(ability).toMatchObject({ status: "converged", method: "eap" });
});

const standard = { mean: Float64Array.of(0), precision: Float64Array.of(1) };

test("no answers give the prior's mean and standard deviation", () => {
  const ability = eapAbility(
    itemBank(Float64Array.of(1), Float64Array.of(0)),
    { items: [], scores: [] },
    { mean: Float64Array.of(0.7), precision: Float64Array.of(0.25) },
  );
  expect(ability.theta[0]).toBeCloseTo(0.7, 12);
  expect(ability.standardError[0]).toBeCloseTo(2, 6);
});

test("agrees with the mode where the posterior is nearly Gaussian", () => {
  const bank = itemBank(
    new Float64Array(5000).fill(1),
    Float64Array.from({ length: 5000 }, (_, i) => (i % 41) / 20 - 1),
  );
  const answers = {
    items: Array.from({ length: 5000 }, (_, i) => i),
    scores: Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? 0 : 1)),
  };
  const mode = mapAbility(bank, answers, standard);
  const mean = eapAbility(bank, answers, standard);
  // Mean and mode differ by order 1/n, standard errors by order 1/n relative.
  expect(Math.abs(mean.theta[0]! - mode.theta[0]!)).toBeLessThan(1 / 5000);
  expect(Math.abs(mean.standardError[0]! / mode.standardError[0]! - 1)).toBeLessThan(2 / 5000);
});

test("two dimensions are refused by name", () => {
  const bank = itemBank(Float64Array.of(1, 1), Float64Array.of(0));
  expectRefusal(
    refusal(() => eapAbility(bank, { items: [0], scores: [1] }, standard)),
    "unsupported",
    "mapAbility",
  );
});

test("a score that is no number is a failure, not an ability", () => {
  const bank = itemBank(Float64Array.of(1), Float64Array.of(0));
  expectRefusal(
    refusal(() => eapAbility(bank, { items: [0], scores: [NaN] }, standard)),
    "numeric_failure",
    "not finite",
  );
});

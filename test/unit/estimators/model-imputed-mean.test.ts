import { answeredSample, itemResponses, modelImputedMean } from "anchoreval/core";
import { expect, test } from "vitest";
import { bankOf } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";
import { stateOf } from "../../support/state-of.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases.filter(({ scoreMap }) => scoreMap === null))("(Σ_A w·y + Σ_U w·p̂) / Σ w: $name", (scenario) => {
  const state = stateOf(
    Float64Array.from(scenario.expected.weights),
    itemResponses(Float64Array.from(scenario.theta), bankOf(scenario.items)),
    answeredSample(anchorsOf(scenario), scoresOf(scenario))!,
  );
  expect(Math.abs(modelImputedMean(state) - scenario.expected["p-irt"])).toBeLessThan(tolerance.absolute);
});

test("does not depend on the masses, only on the items' weights", () => {
  const weights = Float64Array.of(0.5, 0.25, 0.25);
  const predicted = Float64Array.of(0.2, 0.4, 0.6);
  const sample = (mass: Float64Array) => ({
    items: Uint32Array.of(0, 2),
    positions: Uint32Array.of(0, 1),
    scores: Float64Array.of(1, 0),
    mass,
    inclusion: null,
    share: 1,
  });
  expect(modelImputedMean(stateOf(weights, predicted, sample(Float64Array.of(0.5, 0.5))))).toBeCloseTo(0.6, 15);
  expect(modelImputedMean(stateOf(weights, predicted, sample(Float64Array.of(0.9, 0.1))))).toBeCloseTo(0.6, 15);
});

import { answeredSample, correctedMean, itemResponses } from "anchoreval/core";
import { expect, test } from "vitest";
import { bankOf } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases.filter(({ scoreMap }) => scoreMap === null))("Σ w·p̂ + Σ d·(y − p̂): $name", (scenario) => {
  const state = {
    weights: Float64Array.from(scenario.expected.weights),
    predicted: itemResponses(Float64Array.from(scenario.theta), bankOf(scenario.items)),
    sample: answeredSample(anchorsOf(scenario), scoresOf(scenario))!,
  };
  expect(Math.abs(correctedMean(state) - scenario.expected["p-irt-dr"])).toBeLessThan(tolerance.absolute);
});

test("a constant error of the model is taken out, even past 1", () => {
  const sample = {
    items: Uint32Array.of(0, 1),
    positions: Uint32Array.of(0, 1),
    scores: Float64Array.of(1, 1),
    mass: Float64Array.of(0.5, 0.5),
    inclusion: null,
    share: 1,
  };
  const weights = new Float64Array(4).fill(0.25);
  const constant = { weights, predicted: new Float64Array(4).fill(0.3), sample };
  expect(correctedMean(constant)).toBeCloseTo(1, 15);
  expect(correctedMean({ weights, predicted: Float64Array.of(0.2, 0.2, 0.6, 0.6), sample })).toBeCloseTo(1.2, 15);
});

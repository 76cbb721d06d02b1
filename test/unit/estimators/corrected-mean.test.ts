import { answeredSample, correctedMean, itemResponses } from "anchoreval/core";
import { expect, test } from "vitest";
import { bankOf } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";
import { stateOf } from "../../support/state-of.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases.filter(({ scoreMap }) => scoreMap === null))("Σ w·p̂ + Σ d·(y − p̂): $name", (scenario) => {
  const state = stateOf(
    Float64Array.from(scenario.expected.weights),
    itemResponses(Float64Array.from(scenario.theta), bankOf(scenario.items)),
    answeredSample(anchorsOf(scenario), scoresOf(scenario))!,
  );
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
  const score = (predicted: Float64Array): number => correctedMean(stateOf(weights, predicted, sample));
  expect(score(new Float64Array(4).fill(0.3))).toBeCloseTo(1, 15);
  expect(score(Float64Array.of(0.2, 0.2, 0.6, 0.6))).toBeCloseTo(1.2, 15);
});

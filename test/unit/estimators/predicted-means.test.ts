import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { anchorMean, correctedMean, modelImputedMean } from "anchoreval/internal/core/estimators/predicted-means";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { blendedMean } from "../../../sdk/core/estimators/predicted-means.ts";
import { expect, test } from "vitest";
import { bankOf } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";
import { stateOf } from "../../support/state-of.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases)("Σ d·y / Σ d: $name", (scenario) => {
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  expect(Math.abs(anchorMean(sample) - scenario.expected["anchor-mean"])).toBeLessThan(tolerance.absolute);
});

test("equal masses give the plain mean", () => {
  const sample = {
    items: Uint32Array.of(0, 1, 2, 3),
    positions: Uint32Array.of(0, 1, 2, 3),
    scores: Float64Array.of(1, 0, 0.5, 1),
    mass: new Float64Array(4).fill(0.25),
    inclusion: null,
    share: 1,
  };
  expect(anchorMean(sample)).toBe(0.625);
});

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

test("is the anchor mean at λ = 1, the imputed mean at λ = 0, and between them linear", () => {
  const both = { "anchor-mean": 0.7, "p-irt": 0.4 };
  expect(blendedMean(1, both, { low: 0, high: 1 })).toBe(0.7);
  expect(blendedMean(0, both, { low: 0, high: 1 })).toBe(0.4);
  expect(blendedMean(0.25, both, { low: 0, high: 1 })).toBeCloseTo(0.475, 15);
});

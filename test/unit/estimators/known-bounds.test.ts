import { answeredSample, knownBounds } from "anchoreval/core";
import { expect, test } from "vitest";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases)("[Σ_A w·y, Σ_A w·y + Σ_U w]: $name", (scenario) => {
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  const { low, high } = knownBounds(Float64Array.from(scenario.expected.weights), sample);
  expect(Math.abs(low - scenario.expected.bounds[0])).toBeLessThan(tolerance.absolute);
  expect(Math.abs(high - scenario.expected.bounds[1])).toBeLessThan(tolerance.absolute);
});

test("all items answered leave one score", () => {
  const sample = {
    items: Uint32Array.of(2, 0, 1),
    positions: Uint32Array.of(0, 1, 2),
    scores: Float64Array.of(0.1, 0.7, 1),
    mass: new Float64Array(3).fill(1 / 3),
    inclusion: null,
    share: 1,
  };
  const { low, high } = knownBounds(Float64Array.of(0.2, 0.3, 0.5), sample);
  expect(high).toBe(low);
  expect(low).toBeCloseTo(0.14 + 0.3 + 0.05, 15);
});

test("never pass 1, though the weights' sum rounds past it", () => {
  const weights = new Float64Array(3).fill((1 + 2 ** -52) / 3);
  const sample = {
    items: Uint32Array.of(0, 1, 2),
    positions: Uint32Array.of(0, 1, 2),
    scores: Float64Array.of(1, 1, 1),
    mass: new Float64Array(3).fill(1 / 3),
    inclusion: null,
    share: 1,
  };
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(1);
  expect(knownBounds(weights, sample)).toEqual({ low: 1, high: 1 });
});

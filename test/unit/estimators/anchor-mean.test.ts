import { anchorMean, answeredSample } from "anchoreval/core";
import { expect, test } from "vitest";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";

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

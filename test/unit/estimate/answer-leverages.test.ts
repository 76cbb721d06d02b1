import { answeredSample, answerLeverages, predictedScores } from "anchoreval/core";
import { expect, test } from "vitest";
import { bankOf, largestDifference } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";

test.each(referenceScenarios.cases)("$name: (y − p̂)/(1 − h) is numpy's leave-one-out residual", (scenario) => {
  const bank = bankOf(scenario.items);
  const theta = Float64Array.from(scenario.theta);
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  const map = scenario.scoreMap && {
    x: Float64Array.from(scenario.scoreMap.x),
    y: Float64Array.from(scenario.scoreMap.y),
  };
  const predicted = predictedScores(theta, bank, map);
  const leverages = answerLeverages(bank, theta, Float64Array.from(scenario.covariance), sample.items);
  const residuals = leverages.map((h, j) => (sample.scores[j]! - predicted[sample.items[j]!]!) / (1 - h));
  expect(largestDifference(residuals, scenario.expected.residuals)).toBeLessThan(referenceScenarios.tolerance.residual);
});

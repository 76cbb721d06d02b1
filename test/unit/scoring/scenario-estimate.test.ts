import { type AbilityEstimate, mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { answerCurves } from "anchoreval/internal/core/person-fit/statistics";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import {
  answerLeverages,
  estimateScenario,
  type ScenarioModel,
} from "anchoreval/internal/core/scoring/scenario-estimate";
import { scenarioAnswers } from "../../../sdk/core/scoring/scenario-estimate.ts";
import { describe, expect, test } from "vitest";
import { plainFactors } from "../../support/factors.ts";
import { bankOf, largestDifference } from "../../support/fixture.ts";
import { anchorsOf, type ReferenceScenario, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";
import { stackOf } from "../../support/stack-of.ts";

const { cases, tolerance } = referenceScenarios;

function modelOf(reference: ReferenceScenario): ScenarioModel {
  const { scoreMap } = reference;
  return {
    bank: bankOf(reference.items),
    weights: Float64Array.from(reference.expected.weights),
    scoreMap: scoreMap && { x: Float64Array.from(scoreMap.x), y: Float64Array.from(scoreMap.y) },
    anchors: anchorsOf(reference),
    factors: plainFactors(reference.expected.weights, reference.anchors.items),
    answerFactors: plainFactors(reference.expected.weights, reference.anchors.items),
  };
}

function abilityAt(theta: readonly number[], covariance: readonly number[]): AbilityEstimate {
  return {
    theta: Float64Array.from(theta),
    covariance: Float64Array.from(covariance),
    standardError: new Float64Array(theta.length),
    status: "converged",
    iterations: 0,
  };
}

describe.each(cases)("$name", (reference) => {
  const { expected } = reference;
  const estimate = estimateScenario(
    modelOf(reference),
    scoresOf(reference),
    abilityAt(reference.theta, reference.covariance),
  )!;

  const blend = {
    lambda: reference.lambda,
    stack: stackOf({ gaussian: 1 }),
    rmse: 0.1,
    overallRmse: null,
    tightening: { inside: 1, outside: 1 },
  };
  const { estimators } = blendEstimates(estimate, blend, { worst: 0, best: 1, overall: null });

  test.each(["anchor-mean", "p-irt", "gp-irt", "p-irt-dr"] as const)(
    "%s, brought into the bounds that the answers prove",
    (id) => {
      const [low, high] = expected.bounds;
      expect(Math.abs(estimators[id] - Math.min(high, Math.max(low, expected[id])))).toBeLessThan(tolerance.absolute);
    },
  );

  test("bounds", () => {
    expect(largestDifference([estimate.bounds.low, estimate.bounds.high], expected.bounds)).toBeLessThan(
      tolerance.absolute,
    );
  });

  test("leave-one-out residuals by leverage", () => {
    expect(largestDifference(estimate.residuals, expected.residuals)).toBeLessThan(tolerance.residual);
  });
});

test("no answers, no estimate", () => {
  const reference = cases[0]!;
  const none = new Float64Array(reference.scores.length).fill(NaN);
  expect(estimateScenario(modelOf(reference), none, abilityAt(reference.theta, reference.covariance))).toBeNull();
  expect(scenarioAnswers(modelOf(reference), none)).toBeNull();
});

test("an estimate outside of what the answers prove is brought back", () => {
  // Two of three items answered right: the score is at least 2/3, whatever the model says of itself.
  const model: ScenarioModel = {
    bank: itemBank(Float64Array.of(1, 1, 1), Float64Array.of(0, 0, 0)),
    weights: new Float64Array(3).fill(1 / 3),
    scoreMap: null,
    anchors: { items: Uint32Array.of(0, 1), inclusion: null, mass: Float64Array.of(1, 1) },
    factors: plainFactors([1 / 3, 1 / 3, 1 / 3], [0, 1]),
    answerFactors: plainFactors([1 / 3, 1 / 3, 1 / 3], [0, 1]),
  };
  const sure = abilityAt([-50], [0]);
  const { base } = estimateScenario(model, [1, 1], sure)!;
  // The corrected mean is p̂ + (1 − p̂) = 1 exactly: inside.
  expect(base).toMatchObject({ "anchor-mean": 1, "p-irt": 2 / 3, "p-irt-dr": 1 });
  expect(base.gaussian).toBeGreaterThan(2 / 3);
  const wrong = estimateScenario(model, [0, 0], abilityAt([50], [0]))!.base;
  expect(wrong["p-irt"]).toBeCloseTo(1 / 3, 15);
  expect(wrong["p-irt-dr"]).toBe(0);
  // Unequal masses: the anchor mean alone would be 0.9, and 1/3 + 1/3 is the most that can be.
  const uneven = { ...model, anchors: { ...model.anchors, mass: Float64Array.of(9, 1) } };
  expect(estimateScenario(uneven, [1, 0], abilityAt([0], [0]))!.base["anchor-mean"]).toBeCloseTo(2 / 3, 15);
});

test("leave-one-out residuals are near what refitting without each answer gives", () => {
  const random = [
    0.3, -1.1, 0.8, 1.7, -0.4, 0.1, -0.9, 1.2, 0.6, -1.6, 0.2, -0.2, 0.9, -0.5, 1.4, -1.3, 0.4, 0, 0.7, -0.7,
  ];
  const bank = itemBank(
    Float64Array.from(random, (value) => 1 + 0.3 * value),
    Float64Array.from(random, (value) => value),
  );
  const scores = random.map((value, i) => (value < 0.3 !== (i % 4 === 0) ? 1 : 0));
  const prior = scaledPrior(Float64Array.of(0), Float64Array.of(1), 2.5);
  const items = random.map((_, i) => i);
  const ability = mapAbility(bank, { items, scores }, prior);
  const { residuals } = estimateScenario(
    {
      bank,
      weights: new Float64Array(20).fill(0.05),
      scoreMap: null,
      anchors: { items: Uint32Array.from(items), inclusion: null, mass: new Float64Array(20).fill(1) },
      factors: plainFactors(new Float64Array(20).fill(0.05), items),
      answerFactors: plainFactors(new Float64Array(20).fill(0.05), items),
    },
    scores,
    ability,
  )!;
  items.forEach((item) => {
    const rest = items.filter((other) => other !== item);
    const without = mapAbility(bank, { items: rest, scores: rest.map((other) => scores[other]!) }, prior);
    const exact = scores[item]! - 1 / (1 + Math.exp(-(bank.a[item]! * without.theta[0]! - bank.b[item]!)));
    const plain = scores[item]! - 1 / (1 + Math.exp(-(bank.a[item]! * ability.theta[0]! - bank.b[item]!)));
    // One Newton step's worth: the correction is right to a tenth of itself, and never of the wrong sign.
    expect(Math.abs(residuals[item]! - exact)).toBeLessThan(0.1 * Math.abs(exact - plain) + 1e-3);
  });
});

test("what answers say by themselves serves estimates with any ability", () => {
  const reference = cases[0]!;
  const model = modelOf(reference);
  const scores = scoresOf(reference);
  const answers = scenarioAnswers(model, scores);
  for (const theta of [reference.theta, reference.theta.map((value) => value - 1)]) {
    const ability = abilityAt(theta, reference.covariance);
    const estimate = estimateScenario(model, scores, ability);
    expect(estimateScenario(model, scores, ability, { answers })).toEqual(estimate);
    expect(estimate!.base).toMatchObject(answers!.base);
  }
});

test.each(referenceScenarios.cases)("$name: (y − p̂)/(1 − h) is numpy's leave-one-out residual", (scenario) => {
  const bank = bankOf(scenario.items);
  const theta = Float64Array.from(scenario.theta);
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  const map = scenario.scoreMap && {
    x: Float64Array.from(scenario.scoreMap.x),
    y: Float64Array.from(scenario.scoreMap.y),
  };
  const predicted = predictedScores(theta, bank, map);
  const leverages = answerLeverages(
    bank,
    answerCurves(bank, theta, sample),
    Float64Array.from(scenario.covariance),
    sample.items,
  );
  const residuals = leverages.map((h, j) => (sample.scores[j]! - predicted[sample.items[j]!]!) / (1 - h));
  expect(largestDifference(residuals, scenario.expected.residuals)).toBeLessThan(referenceScenarios.tolerance.residual);
});

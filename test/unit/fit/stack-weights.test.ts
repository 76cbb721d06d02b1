import { BASE_ESTIMATORS, createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { stackWeights } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { baseAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { stackOf } from "../../support/stack-of.ts";

const random = createRandom("stack weights");
const RIDGE = 0.02;

/** The regularised squared error of a blend; every model counts once. */
function lossOf(estimates: readonly HeldOutEstimate[]): (weights: readonly number[]) => number {
  const times = (model: number): number => estimates.filter((other) => other.model === model).length;
  const share = estimates.map(({ model }) => 1 / times(model));
  const errors = estimates.map(({ base, truth }) => BASE_ESTIMATORS.map((id) => base[id] - truth));
  const mean =
    errors.reduce((sum, own, k) => sum + share[k]! * own.reduce((s, e) => s + e * e, 0), 0) / BASE_ESTIMATORS.length;
  return (weights) =>
    errors.reduce((sum, own, k) => sum + share[k]! * own.reduce((s, e, d) => s + weights[d]! * e, 0) ** 2, 0) +
    RIDGE * mean * weights.reduce((sum, weight) => sum + weight * weight, 0);
}

/** All weights in steps of 1/steps that sum to 1. */
function* simplexGrid(size: number, steps: number, left = steps): Generator<number[]> {
  if (size === 1) yield [left / steps];
  else
    for (let own = 0; own <= left; own++)
      for (const others of simplexGrid(size - 1, steps, left - own)) yield [own / steps, ...others];
}

describe("stackWeights", () => {
  test.each([
    { anchorError: 0.05, modelError: 0.05, correlation: 0.3 },
    { anchorError: 0.02, modelError: 0.09, correlation: -0.4 },
    { anchorError: 0.15, modelError: 0.03, correlation: 0.9 },
  ])("is the best of a grid over the simplex: %o", (errors) => {
    const estimates = drawnEstimates(random, { models: rowsOf(25), draws: 2, ...errors });
    const loss = lossOf(estimates);
    const weights = stackWeights(estimates);
    const own = BASE_ESTIMATORS.map((id) => weights[id]);
    expect(own.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(Math.min(...own)).toBeGreaterThanOrEqual(0);
    for (const other of simplexGrid(BASE_ESTIMATORS.length, 10))
      expect(loss(own)).toBeLessThanOrEqual(loss(other) + 1e-12);
  });

  test("an estimator without error takes most, and two that agree share", () => {
    const estimates = drawnEstimates(random, { models: rowsOf(40), anchorError: 0.2, modelError: 0.2 });
    const exact = estimates.map((estimate) => ({ ...estimate, base: { ...estimate.base, gaussian: estimate.truth } }));
    expect(stackWeights(exact).gaussian).toBeGreaterThan(0.6);
    const twins = estimates.map((estimate) => ({
      ...estimate,
      base: { ...estimate.base, gaussian: estimate.base["p-irt-dr"] },
    }));
    const { gaussian, "p-irt-dr": corrected } = stackWeights(twins);
    expect(gaussian).toBeCloseTo(corrected, 10);
  });

  test("is the Gaussian alone where nothing was held out, or nothing was wrong", () => {
    const alone = stackOf({ gaussian: 1 });
    expect(stackWeights([])).toEqual(alone);
    const right = drawnEstimates(random, { models: rowsOf(5) }).map((estimate) => {
      const { truth } = estimate;
      return { ...estimate, base: baseAt(truth) };
    });
    expect(stackWeights(right)).toEqual(alone);
  });
});

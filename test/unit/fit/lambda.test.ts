import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { blendingWeight, referenceLambda } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { baseAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";

const GRID = 1000;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean over models of the mean squared error of the blend: each model weighs the same. */
function lossOf(estimates: readonly HeldOutEstimate[]): (lambda: number) => number {
  const models = [...new Set(estimates.map(({ model }) => model))];
  const byModel = models.map((model) => estimates.filter((estimate) => estimate.model === model));
  return (lambda) =>
    mean(
      byModel.map((own) =>
        mean(
          own.map(({ truth, base }) => {
            const blend = lambda * base["anchor-mean"] + (1 - lambda) * base["p-irt"];
            return (blend - truth) ** 2;
          }),
        ),
      ),
    );
}

describe("learned λ", () => {
  const random = createRandom("lambda");
  const cases = [
    { name: "anchors better", anchorError: 0.02, modelError: 0.08, correlation: -0.2 },
    { name: "model better", anchorError: 0.09, modelError: 0.03, correlation: -0.2 },
    { name: "alike", anchorError: 0.05, modelError: 0.05, correlation: 0 },
    { name: "opposite errors", anchorError: 0.05, modelError: 0.04, correlation: -0.8 },
    { name: "the anchors' errors are the model's, and more", anchorError: 0.09, modelError: 0.04, correlation: 0.97 },
    { name: "the model's errors are the anchors', and more", anchorError: 0.03, modelError: 0.09, correlation: 0.97 },
  ].flatMap((errors) => [1, 4].map((draws) => ({ ...errors, draws })));

  test.each(cases)("is the best of a grid: $name, $draws draws", ({ draws, ...errors }) => {
    const within: number[] = [];
    for (let repeat = 0; repeat < 3; repeat++) {
      // Some models are held out by both kinds of folds, and stand more often than others.
      const estimates = [
        ...drawnEstimates(random, { models: rowsOf(20), draws, ...errors }),
        ...drawnEstimates(random, { models: rowsOf(6, 14), draws, fold: 5, ...errors }),
      ];
      const lambda = blendingWeight(estimates);
      const loss = lossOf(estimates);
      const losses = Array.from({ length: GRID + 1 }, (_, k) => loss(k / GRID));
      const best = losses.indexOf(Math.min(...losses)) / GRID;
      expect(Math.abs(lambda - best)).toBeLessThanOrEqual(0.5 / GRID + 1e-9);
      expect(loss(lambda)).toBeLessThanOrEqual(loss(best) + 1e-15);
      within.push(lambda);
    }
    const clipped = errors.correlation === 0.97;
    const end = errors.anchorError > errors.modelError ? 0 : 1;
    if (clipped) expect(within).toEqual(within.map(() => end));
    else expect(within.every((lambda) => lambda > 0 && lambda < 1)).toBe(true);
  });

  test("counts every model once, however often it was held out", () => {
    const estimates = drawnEstimates(random, { models: rowsOf(12), correlation: 0 });
    const often = estimates.flatMap((estimate) =>
      Array.from({ length: 1 + (estimate.model % 4) * 3 }, (_, draw) => ({ ...estimate, draw })),
    );
    expect(blendingWeight(often)).toBeCloseTo(blendingWeight(estimates), 12);
    // Were each estimate to weigh the same, this would be another λ.
    const renamed = often.map((estimate, model) => ({ ...estimate, model }));
    expect(Math.abs(blendingWeight(renamed) - blendingWeight(estimates))).toBeGreaterThan(0.01);
    expect(blendingWeight(estimates.toReversed())).toBeCloseTo(blendingWeight(estimates), 12);
  });

  test("is a half where nothing was held out, and where both estimators agree", () => {
    expect(blendingWeight([])).toBe(0.5);
    const estimates = drawnEstimates(random, { models: rowsOf(10) });
    const agreeing = estimates.map((estimate) => ({
      ...estimate,
      base: { ...estimate.base, "p-irt": estimate.base["anchor-mean"] },
    }));
    expect(blendingWeight(agreeing)).toBe(0.5);
    const exact = estimates.map(({ truth, ...rest }) => ({
      ...rest,
      truth,
      base: baseAt(truth),
    }));
    expect(blendingWeight(exact)).toBe(0.5);
  });

  test("goes all the way to the estimator that is always right", () => {
    const estimates = drawnEstimates(random, { models: rowsOf(10) });
    const right = (id: "anchor-mean" | "p-irt"): HeldOutEstimate[] =>
      estimates.map((estimate) => ({ ...estimate, base: { ...estimate.base, [id]: estimate.truth } }));
    expect(blendingWeight(right("anchor-mean"))).toBeCloseTo(1, 12);
    expect(blendingWeight(right("p-irt"))).toBeCloseTo(0, 12);
  });
});

describe("the reference's λ", () => {
  test("is b²/(v/(4n) + b²)", () => {
    for (const bias of [0.004, 0.02, 0.07, 0.31])
      for (const variance of [0.01, 0.16, 0.25])
        for (const n of [1, 10, 100, 1000])
          expect(referenceLambda(bias, variance, n)).toBeCloseTo(bias ** 2 / (variance / (4 * n) + bias ** 2), 14);
    // By hand: 0.04/(0.16/(4·10) + 0.04) with b = 0.2.
    expect(referenceLambda(0.2, 0.16, 10)).toBeCloseTo(10 / 11, 14);
  });

  test("leaves the model alone where it makes no error, and the anchors where all items score the same", () => {
    expect(referenceLambda(0, 0.2, 10)).toBe(0);
    expect(referenceLambda(0.1, 0, 10)).toBe(1);
    expect(referenceLambda(0, 0, 10)).toBe(0.5);
  });
});

import { BASE_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { gatedSampling, gatedVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  blendingWeight,
  intervalTightening,
  recalibrationWeight,
  referenceLambda,
  stackWeights,
  tighteningRule,
} from "../../../offline-trainer/src/fit/blend-figures.ts";
import { heldOutInterval, heldOutResult } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { stackOf } from "../../support/stack-of.ts";
import { baseAt, blendAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";

const random = createRandom("interval tightening");
const blend = { ...blendAt(0.5), stack: stackOf({ gaussian: 1 }) };

/** Models well inside the range, whose Gaussian errs by a given share of what the draw of the anchors would allow. */
function inside(models: number, error: number): HeldOutEstimate[] {
  return drawnEstimates(random, { models: rowsOf(models), truth: () => 0.4 + 0.2 * random.next() }).map((estimate) => ({
    ...estimate,
    base: { ...estimate.base, "p-irt-dr": 0.5, "p-irt": 0.5, gaussian: estimate.truth + error * random.normal() },
    seen: { worst: 0, best: 1, overall: null },
    bounds: { low: 0, high: 1 },
    sampling: { variance: 0.05 ** 2, degrees: 1000, answers: 100, right: 50, unit: 0.01, bias: 0 },
  }));
}

describe("recalibrationWeight", () => {
  /** Estimates whose R − aipw is all explained by the draw: R is p-irt, as far from the truth as `lag`, aipw as `noise`. */
  const stronger = (models: number, lag: number, noise: number, draws = 1): HeldOutEstimate[] =>
    drawnEstimates(random, { models: rowsOf(models), draws, truth: () => 0.5 }).map((estimate) => ({
      ...estimate,
      base: { ...estimate.base, "p-irt": 0.5 - lag, aipw: 0.5 + noise },
      bounds: { low: 0, high: 1 },
      sampling: { ...estimate.sampling!, unit: 1 },
    }));

  test("is the least squares of the truth between aipw and R, 1 counting as 20 more models", () => {
    for (const models of [5, 60])
      for (const [lag, noise] of [
        [0.02, 0.1],
        [0.1, 0.02],
        [0.05, 0.05],
      ] as const) {
        const learned = noise / (lag + noise); // truth − aipw over R − aipw
        const prior = 20 / models;
        expect(recalibrationWeight(stronger(models, lag, noise))).toBeCloseTo((learned + prior) / (1 + prior), 12);
      }
  });

  test("is 1 where nobody was held out, where R errs to the other side, and where both agree", () => {
    expect(recalibrationWeight([])).toBe(1);
    expect(recalibrationWeight(stronger(30, -0.05, 0.1))).toBe(1);
    expect(recalibrationWeight(stronger(30, 0, 0))).toBe(1);
  });

  test("is 0 where R moves from the truth by more than 20 models outweigh", () => {
    expect(recalibrationWeight(stronger(2000, 0.1, -0.09))).toBe(0);
  });

  test("counts a model once, however often it was held out", () => {
    const [few, many] = [stronger(30, 0.1, 0.01), stronger(30, 0.01, 0.1, 9)];
    const others = many.map((estimate) => ({ ...estimate, model: estimate.model + 30 }));
    const once = others.filter(({ draw }) => draw === 0);
    expect(recalibrationWeight([...few, ...others])).toBeCloseTo(recalibrationWeight([...few, ...once]), 12);
  });
});

describe("intervalTightening", () => {
  test("is about the share of the draw's error that the gate has, and below it widens", () => {
    for (const share of [0.4, 1.5]) {
      const { inside: tau } = intervalTightening(inside(400, share * 0.05), blend, "conformal");
      expect(Math.abs(tau / share - 1)).toBeLessThan(0.15);
    }
  });

  test("intervals that it makes hold a new model's score as often as promised", () => {
    let held = 0;
    const repeats = 1500;
    for (let repeat = 0; repeat < repeats; repeat++) {
      const [fresh, ...seen] = inside(40, 0.03) as [HeldOutEstimate];
      const own = { ...blend, tightening: intervalTightening(seen, blend, "conformal") };
      const { low, high } = heldOutInterval(fresh, heldOutResult(fresh, "gate", own))!;
      if (low <= fresh.truth && fresh.truth <= high) held++;
    }
    // Exactly 38/40 of the time; five standard errors are 0.028.
    expect(Math.abs(held / repeats - 0.95)).toBeLessThan(0.028);
  });

  test("is told by a quantile from 39 models of 8 families on, by the spread from 8 of 4 on", () => {
    const families = (count: number): Int32Array => Int32Array.from({ length: 500 }, (_, m) => m % count);
    const rule = (models: number, count: number) => tighteningRule(inside(models, 0.01), families(count));
    expect([rule(39, 39), rule(60, 8)]).toEqual(["conformal", "conformal"]);
    expect([rule(38, 38), rule(60, 7), rule(8, 4)]).toEqual([{ families: 38 }, { families: 7 }, { families: 4 }]);
    expect([rule(7, 7), rule(60, 3), rule(0, 8)]).toEqual([null, null, null]);
    expect(intervalTightening(inside(7, 0.01), blend, null)).toEqual({ inside: 1, outside: 1 });
  });

  test("by the spread it holds as often as promised, whatever the errors are, and lies between them and the draw's", () => {
    for (const share of [0.4, 0.8]) {
      let held = 0;
      const repeats = 1500;
      const shares: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        const [fresh, ...seen] = inside(21, share * 0.05) as [HeldOutEstimate];
        const own = { ...blend, tightening: intervalTightening(seen, blend, { families: 8 }) };
        shares.push(own.tightening.inside);
        const { low, high } = heldOutInterval(fresh, heldOutResult(fresh, "gate", own))!;
        if (low <= fresh.truth && fresh.truth <= high) held++;
      }
      expect(held / repeats).toBeGreaterThan(0.95 - 0.028);
      const mean = shares.reduce((sum, value) => sum + value, 0) / repeats;
      expect(mean).toBeGreaterThan(share);
      expect(mean).toBeLessThan(1);
    }
  });

  test("a model whose estimate failed counts as one that no interval would have held", () => {
    const estimates = inside(60, 0.01);
    const spoilt = estimates.map((estimate, k) => (k < 5 ? { ...estimate, sampling: null } : estimate));
    expect(intervalTightening(spoilt, blend, "conformal").inside).toBe(1);
  });

  test("outside the range, half of what mixing saved is counted on, and a loss isn't", () => {
    const corrected = (own: number, whole: number): HeldOutEstimate[] =>
      inside(60, 0.01).map((estimate) => {
        const { truth, base } = estimate;
        const mixed = { "anchor-mean": truth + own, "p-irt": truth + own, aipw: truth + own };
        return { ...estimate, base: { ...base, ...mixed, "p-irt-dr": truth + whole } };
      });
    const { outside } = intervalTightening(corrected(0.03, 0.05), blend, "conformal");
    expect(outside ** 2).toBeCloseTo((1 + 0.36) / 2, 12);
    expect(intervalTightening(corrected(0.06, 0.05), blend, "conformal").outside).toBe(1);
    expect(intervalTightening(corrected(0, 0), blend, "conformal").outside).toBe(1);
  });
});

describe("gatedSampling", () => {
  const sampling = { variance: 0.0025, degrees: 30, answers: 50, right: 20, unit: 0.02, bias: 0 };

  test("is the draw's, tightened inside the range and outside of it, and in between by the chance", () => {
    const beyond = { score: 0.5, unlike: 0, weight: 0.5, difference: 0 };
    const variance = (share: number, gap: number, inside: number, outside: number): number =>
      gatedSampling(sampling, gatedVariance({ share, gap, beyond }, { inside, outside }, sampling), { beyond })
        .variance;
    const outside = gatedVariance({ share: 1, gap: 0.3, beyond }, { inside: 0.5, outside: 1 }, sampling);
    expect(gatedSampling(sampling, outside, { beyond })).toEqual(sampling);
    expect(variance(1, 0.3, 0.5, 0.8)).toBeCloseTo(0.0025 * 0.64, 15);
    expect(variance(0, 0.3, 0.5, 0.8)).toBeCloseTo(0.0025 / 4, 15);
    expect(variance(0.5, 0, 0.5, 1)).toBeCloseTo(0.0025 * (0.5 / 4 + 0.5), 15);
    expect(variance(0.25, 0.2, 1, 1)).toBeCloseTo(0.0025, 15);
  });

  test.each([0.1, -0.1])("what inside and outside differ by is a bias, with the sign of r − aipw, %d", (difference) => {
    const beyond = { score: 0.5, unlike: 0, weight: 0, difference };
    const gated = gatedVariance({ share: 0.25, gap: 0.2, beyond }, { inside: 1, outside: 1 }, sampling);
    const { bias } = gatedSampling(sampling, gated, { beyond });
    expect(bias).toBeCloseTo(Math.sign(difference) * Math.sqrt(0.25 * 0.75 * 0.04), 15);
  });

  test("counts what the two outside the range differ by: by halves at most, and all that the draw doesn't explain", () => {
    const doubt = (weight: number, difference: number): number => {
      const beyond = { score: 0.5, unlike: 0, weight, difference };
      return gatedVariance({ share: 1, gap: 0, beyond }, { inside: 1, outside: 1 }, sampling).bias;
    };
    expect(doubt(0.5, 0.07)).toBeCloseTo(0.07 ** 2 / 4, 15); // 2V = .005 explains it
    expect(doubt(0, 0.3)).toBe(0);
    expect(doubt(0.2, 0.07)).toBeCloseTo(0.16 * 0.07 ** 2, 15);
    expect(doubt(0.9, 0.3)).toBeCloseTo(0.09 / 4 + 0.81 * (0.09 - 0.005), 15);
    expect(doubt(1, -0.3)).toBeCloseTo(0.09 / 4 + 0.09 - 0.005, 15);
  });

  test("answers that follow no prediction aren't narrowed, and as long as it isn't known both stand beside each other", () => {
    const of = (unlike: number, weight: number) =>
      gatedVariance(
        { share: 1, gap: 0, beyond: { score: 0.5, unlike, weight, difference: 0.07 } },
        { inside: 0.5, outside: 0.6 },
        sampling,
      );
    expect(of(1, 0)).toEqual({ within: 1, bias: 0 });
    expect(of(0.25, 0).within).toBeCloseTo(0.75 * 0.36 + 0.25, 15);
    expect(of(0.25, 0).bias).toBeCloseTo(0.25 * 0.75 * 0.07 ** 2, 15);
  });

  test("scales an interval's half-width, far from 0 and 1", () => {
    const half = (variance: number): number => {
      const { low, high } = designInterval(
        { score: 0.5, bounds: { low: 0, high: 1 }, sampling: { ...sampling, variance, degrees: 1e6 } },
        0.95,
      );
      return (high - low) / 2;
    };
    const drawn = { ...sampling, variance: 1e-4 };
    const blended = { share: 0, gap: 0.1, beyond: { score: 0.5, unlike: 0, weight: 0.5, difference: 0.6 } };
    const tight = gatedSampling(drawn, gatedVariance(blended, { inside: 0.6, outside: 1 }, drawn), blended);
    expect(half(tight.variance) / half(1e-4)).toBeCloseTo(0.6, 3);
  });
});

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

const stackRandom = createRandom("stack weights");
const RIDGE = 0.02;

/** The regularised squared error of a blend; every model counts once. */
function stackLoss(estimates: readonly HeldOutEstimate[]): (weights: readonly number[]) => number {
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
    const estimates = drawnEstimates(stackRandom, { models: rowsOf(25), draws: 2, ...errors });
    const loss = stackLoss(estimates);
    const weights = stackWeights(estimates);
    const own = BASE_ESTIMATORS.map((id) => weights[id]);
    expect(own.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(Math.min(...own)).toBeGreaterThanOrEqual(0);
    for (const other of simplexGrid(BASE_ESTIMATORS.length, 10))
      expect(loss(own)).toBeLessThanOrEqual(loss(other) + 1e-12);
  });

  test("an estimator without error takes most, and two that agree share", () => {
    const estimates = drawnEstimates(stackRandom, { models: rowsOf(40), anchorError: 0.2, modelError: 0.2 });
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
    const right = drawnEstimates(stackRandom, { models: rowsOf(5) }).map((estimate) => {
      const { truth } = estimate;
      return { ...estimate, base: baseAt(truth) };
    });
    expect(stackWeights(right)).toEqual(alone);
  });
});

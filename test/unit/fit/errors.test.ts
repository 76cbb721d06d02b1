import type { SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { ERROR_LEVELS } from "anchoreval/internal/core/bundle/names";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { type Blend, type EstimatorId, ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { NO_SAMPLING } from "../../../sdk/core/inference/sampling-variance.ts";
import { describe, expect, test } from "vitest";
import { learnBlends, type LearnedBlend } from "../../../offline-trainer/src/fit/blends.ts";
import {
  answeredPart,
  type MeasureInput as Blended,
  LEAST_MODELS_FOR_COVERAGE,
  measureErrors as measureBlended,
} from "../../../offline-trainer/src/fit/errors.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { errorQuantile, heldOutScore, rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { describeBenchmark } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS, type LambdaRule } from "../../../offline-trainer/src/methods/settings.ts";
import { fullScores, scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { blendAt, drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

/** What is measured, with what its blends are learned by. */
type MeasureInput = Omit<Blended, "blend"> & { readonly lambdaRule: LambdaRule };

function measureErrors(given: MeasureInput): ReturnType<typeof measureBlended> {
  return measureBlended({ ...given, blend: learnedBlend(given).foldOut });
}

function learnedBlend(given: Pick<MeasureInput, "n" | "lambdaRule" | "interpolation" | "extrapolation">): LearnedBlend {
  const { n, lambdaRule: lambda, interpolation, extrapolation } = given;
  const method = { ...recommended, settings: { ...DEFAULT_SETTINGS, lambda } };
  const pooled = { interpolation: [], extrapolation: [] };
  const validation = new Map([["b", new Map([["form", { separate: { interpolation, extrapolation }, pooled }]])]]);
  const plans = [{ ...evenForm(n, [{ id: "b" }]), id: "form" }];
  return learnBlends(second, rowsOf(60), method, plans, validation).get("b")!.get("form")!.separate;
}

const matrix = smallLeaderboard({ models: 60, items: [30, 24], missing: 0.05 });
const benchmark = describeBenchmark(matrix, DEFAULT_SETTINGS);
const second = { ...benchmark, scenarios: benchmark.scenarios.slice(1) };
const slice = scenarioSlices(matrix.items, "subscenarios")[1]!; // two subscenarios of unequal size
const truth = (model: number): number => fullScores(matrix, slice).score[model]!;

function input(
  change: Partial<MeasureInput> & { models?: number; draws?: number; strong?: number } = {},
): MeasureInput {
  const random = createRandom("measured errors");
  const { models = 40, draws = 3, strong = 22, ...more } = change;
  return {
    scenario: { ...slice, matrix },
    n: 6,
    estimator: "p-irt-dr",
    interval: "design",
    lambdaRule: "learned",
    interpolation: drawnEstimates(random, { models: rowsOf(models), draws, truth, anchorError: 0.07 }),
    extrapolation: drawnEstimates(random, {
      models: rowsOf(strong, models - strong),
      draws,
      fold: 5,
      truth,
      modelError: 0.1,
    }),
    random: createRandom("baseline"),
    ...more,
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const six = (value: number): number => Number(value.toFixed(6));

/** The blend of an estimate by hand: learned on the models that its fold doesn't hold out. */
function blendOf({ n, interpolation, extrapolation }: MeasureInput): (estimate: HeldOutEstimate) => Blend {
  const all = [...interpolation, ...extrapolation];
  const byFold = [0, 1, 2, 3, 4, 5].map((fold): Blend => {
    const held = all.filter((other) => other.fold === fold).map(({ model }) => model);
    const others = (estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] =>
      estimates.filter(({ model }) => !held.includes(model));
    const without = { interpolation: others(interpolation), extrapolation: others(extrapolation) };
    return learnedBlend({ n, lambdaRule: "learned", ...without }).served;
  });
  return ({ fold }) => byFold[fold]!;
}

describe("errors of the estimators", () => {
  test.each(["interpolation", "extrapolation"] as const)("%s: mean, root mean square, bias, quantiles", (split) => {
    const given = input();
    const blend = blendOf(given);
    const estimates = given[split];
    const measured = measureErrors(given)[split]!;
    expect(measured.models).toBe(split === "interpolation" ? 40 : 22);
    for (const id of ESTIMATORS) {
      const errors = estimates.map((estimate) => {
        const { truth: score, seen } = estimate;
        return blendEstimates(estimate, blend(estimate), seen).estimators[id] - score;
      });
      const { mae, rmse, bias } = measured.estimators[id];
      expect(mae).toBeCloseTo(mean(errors.map(Math.abs)), 5.5);
      expect(rmse).toBeCloseTo(Math.sqrt(mean(errors.map((error) => error ** 2))), 5.5);
      expect(bias).toBeCloseTo(mean(errors), 5.5);
      expect([mae, rmse, bias]).toEqual([mae, rmse, bias].map(six));
    }
    expect(measured.absoluteError).toEqual(
      ERROR_LEVELS.map((level) => {
        const error = errorQuantile(estimates, "p-irt-dr", blend, level);
        return error === null ? null : six(error);
      }),
    );
    // 99 % of the models would take a hundred of them.
    expect(measured.absoluteError.map((error) => error === null)).toEqual([false, false, false, false, true]);
  });

  test("the quantiles are of the form's own estimator", () => {
    const of = (estimator: EstimatorId): readonly (number | null)[] =>
      measureErrors(input({ estimator })).interpolation!.absoluteError;
    expect(new Set(ESTIMATORS.map((id) => of(id)[0])).size).toBe(ESTIMATORS.length);
  });

  test("the reference's λ is the bundle's own", () => {
    const given = input({ lambdaRule: "reference", interpolation: input().interpolation });
    const { served, foldOut } = learnedBlend(given);
    const errors = given.interpolation.map((estimate) =>
      Math.abs(heldOutScore(estimate, "gp-irt", blendAt(served.lambda)) - estimate.truth),
    );
    expect(measureErrors(given).interpolation!.estimators["gp-irt"].mae).toBe(six(mean(errors)));
    expect(foldOut(given.interpolation[0]!).lambda).toBe(served.lambda);
  });

  test("are null where nothing was held out", () => {
    expect(measureErrors(input({ interpolation: [], extrapolation: [] }))).toEqual({
      interpolation: null,
      extrapolation: null,
    });
    expect(measureErrors(input({ extrapolation: [] })).interpolation).not.toBeNull();
  });
});

describe("coverage of the 95 % interval", () => {
  test("design-based: the share of the intervals that hold the truth, and their mean half-width", () => {
    const given = input();
    const { coverage95, halfWidth95 } = measureErrors(given).interpolation!;
    const intervals = given.interpolation.map(({ base, bounds, sampling, truth: score }) => {
      const { low, high } = designInterval({ score: base["p-irt-dr"], bounds, sampling: sampling! }, 0.95);
      return { holds: low <= score && score <= high ? 1 : 0, half: (high - low) / 2 };
    });
    expect(coverage95).toBe(six(mean(intervals.map(({ holds }) => holds))));
    expect(coverage95).toBeGreaterThan(0.85); // two standard errors
    expect(coverage95).toBeLessThan(1);
    expect(halfWidth95).toBe(six(mean(intervals.map(({ half }) => half))));
  });

  test("nine models in ten have no wider intervals than it says, one of more of them wider", () => {
    const given = input(); // forty models, three forms each
    const { halfWidth95P90: widest } = measureErrors(given).interpolation!;
    const halves = given.interpolation.map(({ base, bounds, sampling }) => {
      const { low, high } = designInterval({ score: base["p-irt-dr"], bounds, sampling: sampling! }, 0.95);
      return six((high - low) / 2);
    });
    // ⌈41·.9⌉ = 37 of 40, so 111 of 120.
    expect(halves.filter((half) => half <= widest!)).toHaveLength(111);
    expect(halves).toContain(widest);
  });

  test("its standard error is that of models, not of their forms", () => {
    const given = input();
    const { coverage95, coverageSe } = measureErrors(given).interpolation!;
    const held = ({ base, bounds, sampling, truth: score }: HeldOutEstimate): number => {
      const { low, high } = designInterval({ score: base["p-irt-dr"], bounds, sampling: sampling! }, 0.95);
      return low <= score && score <= high ? 1 : 0;
    };
    // Every model has three forms: the coverage is a mean of models' means.
    const own = [...new Set(given.interpolation.map(({ model }) => model))].map((model) =>
      mean(given.interpolation.filter((estimate) => estimate.model === model).map(held)),
    );
    expect(own).toHaveLength(40);
    expect(mean(own)).toBeCloseTo(coverage95!, 5.5);
    const variance = own.reduce((sum, share) => sum + (share - mean(own)) ** 2, 0) / (own.length - 1);
    expect(coverageSe).toBeCloseTo(Math.sqrt(variance / own.length), 5.5);
    expect(coverageSe).toBeGreaterThan(0);
    // The same forms once more tell nothing new.
    const twice = [
      ...given.interpolation,
      ...given.interpolation.map((estimate) => ({ ...estimate, draw: estimate.draw + 3 })),
    ];
    expect(measureErrors({ ...given, interpolation: twice }).interpolation!.coverageSe).toBeCloseTo(coverageSe!, 5.5);
  });

  test("an end that is the truth covers it, whatever the rounding", () => {
    const interpolation = input().interpolation.map((estimate) => ({
      ...estimate,
      base: { ...estimate.base, "p-irt-dr": estimate.truth + 1e-13 },
      sampling: NO_SAMPLING,
    }));
    expect(measureErrors(input({ interpolation })).interpolation!.coverage95).toBe(1);
  });

  test("is not measured below 20 models, and is from 20 on", () => {
    expect(LEAST_MODELS_FOR_COVERAGE).toBe(20);
    for (const [models, known] of [
      [19, false],
      [20, true],
    ] as const) {
      const { interpolation } = measureErrors(input({ models, strong: 5 }));
      expect(interpolation!.models).toBe(models);
      expect(interpolation!.coverage95 !== null).toBe(known);
      expect(interpolation!.halfWidth95 !== null).toBe(known);
    }
    // Five strong models, forty others: each split counts its own.
    const { interpolation, extrapolation } = measureErrors(input({ strong: 5 }));
    expect(interpolation!.coverage95).not.toBeNull();
    expect(extrapolation!.coverage95).toBeNull();
    expect(extrapolation!.absoluteError.slice(1)).toEqual([expect.any(Number), null, null, null]);
  });

  test("is not measured where one model has no interval", () => {
    const own = input().interpolation;
    const interpolation = own.map((estimate, k) => (k === 7 ? { ...estimate, sampling: null } : estimate));
    const measured = measureErrors(input({ interpolation })).interpolation!;
    const { coverage95, coverageSe, halfWidth95, halfWidth95P90 } = measured;
    expect([coverage95, coverageSe, halfWidth95, halfWidth95P90]).toEqual([null, null, null, null]);
    expect(measured.absoluteError[3]).not.toBeNull();
  });

  /** Interval score ± quantile, from the models that the fold doesn't hold out. */
  function crossValidated(given: MeasureInput, split: "interpolation" | "extrapolation"): Partial<SplitErrors> {
    const blend = blendOf(given);
    const all = [...given.interpolation, ...given.extrapolation];
    const byFold = [0, 1, 2, 3, 4, 5].map((fold) => {
      const held = all.filter((other) => other.fold === fold).map(({ model }) => model);
      const others = given.interpolation.filter(({ model }) => !held.includes(model));
      return errorQuantile(others, given.estimator, blend, 0.95)!;
    });
    const bounds = given[split].map((estimate) => {
      const error = byFold[estimate.fold]!;
      const score = heldOutScore(estimate, given.estimator, blend(estimate));
      const low = Math.max(estimate.bounds.low, score - error);
      const high = Math.min(estimate.bounds.high, score + error);
      return { low, high, holds: low <= estimate.truth && estimate.truth <= high };
    });
    return {
      coverage95: six(mean(bounds.map(({ holds }) => (holds ? 1 : 0)))),
      halfWidth95: six(mean(bounds.map(({ low, high }) => (high - low) / 2))),
    };
  }

  test.each(["interpolation", "extrapolation"] as const)(
    "cross-validated, %s: from the other models' errors",
    (split) => {
      const given = input({ models: 50, estimator: "gp-irt", interval: "cross-validated" });
      expect(measureErrors(given)[split]).toMatchObject(crossValidated(given, split));
      // Bounds that the answers prove cut the intervals.
      const tight = {
        ...given,
        [split]: given[split].map((estimate) => ({
          ...estimate,
          bounds: { low: estimate.truth - 0.02, high: estimate.truth + 0.02 },
        })),
      };
      expect(measureErrors(tight)[split]!.halfWidth95).toBeLessThanOrEqual(0.02);
      expect(measureErrors(tight)[split]).toMatchObject(crossValidated(tight, split));
    },
  );

  test("cross-validated: a model's interval knows nothing of its own errors, in whichever fold they were", () => {
    const given = input({ models: 50, estimator: "p-irt", interval: "cross-validated", strong: 22 });
    const strong = new Set(given.extrapolation.map(({ model }) => model));
    const spoilt = {
      ...given,
      interpolation: given.interpolation.map((estimate) =>
        strong.has(estimate.model)
          ? { ...estimate, base: { ...estimate.base, "p-irt": estimate.truth - 0.4 } }
          : estimate,
      ),
    };
    const before = measureErrors(given).extrapolation!;
    expect(measureErrors(spoilt).extrapolation).toEqual(before);
    expect(measureErrors(spoilt).interpolation).not.toEqual(measureErrors(given).interpolation);
  });

  test("cross-validated: too few other models for the level, and it is not measured", () => {
    const given = input({ models: 22, strong: 8, estimator: "gp-irt", interval: "cross-validated" });
    // Four or five are held out: at most 18 others, and 95 % takes 19.
    expect(measureErrors(given).interpolation!.coverage95).toBeNull();
    expect(measureErrors({ ...given, interval: "design" }).interpolation!.coverage95).not.toBeNull();
  });
});

describe("the error of random items", () => {
  test("is that of single items, where one is drawn", () => {
    const single = rowsOf(40).map((model) => {
      const scores = Array.from({ length: slice.count }, (_, i) => {
        const at = model * matrix.items.length + slice.begin + i;
        return Math.abs((matrix.observed![at] === 0 ? 0.5 : matrix.scores[at]!) - truth(model));
      });
      return mean(scores);
    });
    // The 200 draws are the same for all models; a draw's mean error has a standard deviation below 0.1.
    expect(Math.abs(measureErrors(input({ n: 1 })).interpolation!.randomMae - mean(single))).toBeLessThan(0.03);
  });

  test("vanishes where all items are drawn, falls with their number, and is the same for the same seed", () => {
    const at = (n: number): number => measureErrors(input({ n })).interpolation!.randomMae;
    expect(at(slice.count)).toBe(0);
    expect(at(slice.count + 5)).toBe(0);
    expect(at(12)).toBeLessThan(at(3));
    expect(at(3)).toBe(at(3));
    expect(at(3)).toBe(six(at(3)));
  });
});

test("figures have six decimals", () => {
  expect(rounded(0.12345649)).toBe(0.123456);
  expect(rounded(0.1234566)).toBe(0.123457);
  expect(rounded(-1 / 3)).toBe(-0.333333);
  expect(rounded(1)).toBe(1);
  expect(rounded(4e-7)).toBe(0);
});

test("what models answered is their mean, and said where it isn't nearly all", () => {
  const of = (...parts: (number | null)[]) => {
    const [first] = drawnEstimates(createRandom("parts"), { models: [0] });
    return answeredPart(parts.map((part, model) => ({ ...first!, model, part })));
  };
  expect(of(0.5, null, 0.3, null)).toEqual({ answered: 0.7 });
  expect(of(null, null)).toEqual({});
  expect(of(...Array.from({ length: 49 }, () => null), 0.4)).toEqual({});
});

import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors } from "anchoreval/bundle";
import { designInterval, ESTIMATORS, weightedScore, type EstimatorId } from "anchoreval/core";
import type { LambdaRule } from "./configuration.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { heldOutSampling, heldOutScore } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { foldOutBlend, LEAST_MODELS_FOR_COVERAGE, rounded } from "./measured-errors.ts";

/**
 * Errors of the overall score, the mean over scenarios, on models that were held out in all of them. Weak-to-strong
 * splits differ between banks, so there is no figure for those. Scenarios are drawn independently, so the errors of
 * random items combine in quadrature.
 * @param randomMae - mean absolute error of random items, one a scenario
 */
export function measureOverall(
  banks: readonly FittedBank[],
  n: number,
  estimator: EstimatorId,
  lambdaRule: LambdaRule,
  randomMae: readonly number[],
): MeasuredErrors {
  const parts = banks.flatMap((bank) =>
    bank.task.scenarios.map((_, s) => {
      const interpolation = bank.validation.interpolation[s]!.get(n)!;
      const extrapolation = bank.validation.extrapolation[s]!.get(n)!;
      const blend = foldOutBlend({
        matrix: bank.task.matrix,
        n,
        blend: bank.blends[s]!.get(n)!,
        lambdaRule,
        interpolation,
        extrapolation,
      });
      return { blend, byKey: new Map(interpolation.map((estimate) => [keyOf(estimate), estimate])) };
    }),
  );
  const keys = [...parts[0]!.byKey.keys()].filter((key) => parts.every(({ byKey }) => byKey.has(key)));
  if (keys.length === 0) return { interpolation: null, extrapolation: null };
  const models = new Set(keys.map((key) => parts[0]!.byKey.get(key)!.model)).size;
  const error = (key: string, id: EstimatorId): number =>
    parts.reduce((sum, { byKey, blend }) => {
      const estimate = byKey.get(key)!;
      return sum + (heldOutScore(estimate, id, blend(estimate)) - estimate.truth) / parts.length;
    }, 0);

  const intervals = keys.map((key) => {
    const sampled = parts.flatMap(({ byKey, blend }) => {
      const estimate = byKey.get(key)!;
      const own = blend(estimate);
      const sampling = heldOutSampling(estimate, estimator, own);
      const score = heldOutScore(estimate, estimator, own);
      return sampling === null ? [] : [{ share: 1 / parts.length, score, bounds: estimate.bounds, sampling }];
    });
    if (sampled.length < parts.length) return null;
    const truth = mean(parts.map(({ byKey }) => byKey.get(key)!.truth));
    const { low, high } = designInterval(weightedScore(sampled), 0.95);
    return { holds: low <= truth + 1e-12 && truth - 1e-12 <= high, halfWidth: (high - low) / 2 };
  });
  const known = models >= LEAST_MODELS_FOR_COVERAGE && intervals.every((interval) => interval !== null);
  const absolute = keys.map((key) => Math.abs(error(key, estimator))).sort((x, y) => x - y);
  const draws = keys.length / models;
  return {
    interpolation: {
      models,
      estimators: Object.fromEntries(
        ESTIMATORS.map((id) => [id, summary(keys.map((key) => error(key, id)))]),
      ) as Record<EstimatorId, ErrorSummary>,
      randomMae: rounded(quadrature(randomMae)),
      coverage95: known ? rounded(mean(intervals.map(({ holds }) => (holds ? 1 : 0)))) : null,
      halfWidth95: known ? rounded(mean(intervals.map(({ halfWidth }) => halfWidth))) : null,
      absoluteError: ERROR_LEVELS.map((level) => {
        const rank = Math.ceil(Math.ceil((models + 1) * level) * draws);
        return rank > absolute.length ? null : rounded(absolute[rank - 1]!);
      }),
    },
    extrapolation: null,
  };
}

function keyOf({ model, draw }: HeldOutEstimate): string {
  return `${model}/${draw}`;
}

function summary(errors: readonly number[]): ErrorSummary {
  return {
    mae: rounded(mean(errors.map(Math.abs))),
    rmse: rounded(Math.sqrt(mean(errors.map((value) => value * value)))),
    bias: rounded(mean(errors)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Spread of a mean of independent parts. */
function quadrature(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) / values.length;
}

import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors } from "anchoreval/bundle";
import { designInterval, ESTIMATORS, weightedScore, type EstimatorId } from "anchoreval/core";
import type { FittedBank } from "./fitted-bank.ts";
import { heldOutSampling, heldOutScores } from "./held-out-score.ts";
import { heldOutKey, servedEvidence } from "./learn-evidence.ts";
import { errorSummary, LEAST_MODELS_FOR_COVERAGE, rounded } from "./measured-errors.ts";

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
  randomMae: readonly number[],
): MeasuredErrors {
  const parts = banks.flatMap((bank) =>
    bank.task.scenarios.map((_, s) => {
      const { validation, blends } = servedEvidence(bank.evidence, s, n);
      const { foldOut } = blends[s]!.get(n)!;
      return new Map(
        validation.interpolation[s]!.get(n)!.map((estimate) => {
          const blend = foldOut(estimate);
          const sampling = heldOutSampling(estimate, estimator, blend);
          return [heldOutKey(estimate), { estimate, scores: heldOutScores(estimate, blend), sampling }];
        }),
      );
    }),
  );
  const keys = [...parts[0]!.keys()].filter((key) => parts.every((byKey) => byKey.has(key)));
  if (keys.length === 0) return { interpolation: null, extrapolation: null };
  const models = new Set(keys.map((key) => parts[0]!.get(key)!.estimate.model)).size;
  const errors = (id: EstimatorId): number[] =>
    keys.map((key) =>
      parts.reduce((sum, byKey) => {
        const { estimate, scores } = byKey.get(key)!;
        return sum + (scores[id] - estimate.truth) / parts.length;
      }, 0),
    );

  const intervals = keys.map((key) => {
    const own = parts.map((byKey) => byKey.get(key)!);
    const sampled = own.flatMap(({ estimate: { bounds }, scores, sampling }) =>
      sampling === null ? [] : [{ share: 1 / parts.length, score: scores[estimator], bounds, sampling }],
    );
    if (sampled.length < parts.length) return null;
    const truth = mean(own.map(({ estimate }) => estimate.truth));
    const { low, high } = designInterval(weightedScore(sampled), 0.95);
    return { holds: low <= truth + 1e-12 && truth - 1e-12 <= high, halfWidth: (high - low) / 2 };
  });
  const known = models >= LEAST_MODELS_FOR_COVERAGE && intervals.every((interval) => interval !== null);
  const absolute = errors(estimator)
    .map(Math.abs)
    .sort((x, y) => x - y);
  const draws = keys.length / models;
  return {
    interpolation: {
      models,
      estimators: Object.fromEntries(ESTIMATORS.map((id) => [id, errorSummary(errors(id))])) as Record<
        EstimatorId,
        ErrorSummary
      >,
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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Spread of a mean of independent parts. */
function quadrature(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) / values.length;
}

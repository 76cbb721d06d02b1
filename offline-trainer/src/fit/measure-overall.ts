import { ERROR_LEVELS, type ErrorSummary, type FormManifest, type MeasuredErrors } from "anchoreval/bundle";
import { designInterval, estimatorsOf, figureOf, inflated, type EstimatorId, type SeenScores } from "anchoreval/core";
import type { FittedBank } from "./fitted-bank.ts";
import type { ScoreInterval } from "./interval-figures.ts";
import { measuredCoverage } from "./measured-coverage.ts";
import { errorSummary } from "./measured-errors.ts";
import { overallEstimates, overallInflation, overallParts, type OverallEstimate } from "./overall-inflation.ts";
import { rounded } from "./rounded.ts";
import { withoutFold } from "./without-fold.ts";

/**
 * The overall score, the mean over scenarios, on models that were held out in all of them: its errors, and by how much
 * its intervals must exceed those of independent scenarios. Errors of random items combine in quadrature.
 * @param form - its id
 * @param randomMae - mean absolute error of random items, one a scenario
 * @param seen - the range of the source models' overall scores
 */
export function measureOverall(
  banks: readonly FittedBank[],
  form: string,
  estimator: EstimatorId,
  randomMae: readonly number[],
  seen: SeenScores | null,
): NonNullable<FormManifest["overall"]> {
  const parts = overallParts(
    banks.map(({ evidence }) => evidence),
    form,
  );
  const overall = overallEstimates(parts, estimator);
  const inflation = overallInflation(overall);
  if (overall.length === 0) return { inflation, seen, measured: { interpolation: null, extrapolation: null } };
  const models = new Set(overall.map(({ estimate }) => estimate.model)).size;
  const errors = (id: EstimatorId): number[] => overall.map(({ scores, truth }) => figureOf(scores, id) - truth);
  const intervals = overall.map(intervalOf(overall));
  const held = overall.map(({ estimate, truth }) => ({ model: estimate.model, truth }));
  const absolute = errors(estimator)
    .map(Math.abs)
    .sort((x, y) => x - y);
  const draws = overall.length / models;
  const interpolation = {
    models,
    estimators: Object.fromEntries(
      estimatorsOf(overall[0]!.scores).map((id) => [id, errorSummary(errors(id))]),
    ) as Record<EstimatorId, ErrorSummary>,
    randomMae: rounded(quadrature(randomMae)),
    ...measuredCoverage(held, intervals),
    absoluteError: ERROR_LEVELS.map((level) => {
      const rank = Math.ceil(Math.ceil((models + 1) * level) * draws);
      return rank > absolute.length ? null : rounded(absolute[rank - 1]!);
    }),
  };
  return {
    inflation: rounded(inflation),
    seen,
    measured: { interpolation, extrapolation: null } satisfies MeasuredErrors,
  };
}

/** The interval of a held-out model's overall score, inflated by what the models of other folds need. */
function intervalOf(overall: readonly OverallEstimate[]): (own: OverallEstimate) => ScoreInterval | null {
  const without = withoutFold(
    overall.map(({ estimate }) => estimate),
    (held) => overallInflation(overall.filter(({ estimate }) => !held.has(estimate.model))),
  );
  return ({ estimate, sampled }) =>
    sampled === null ? null : designInterval(inflated(sampled, without(estimate)), 0.95);
}

/** Spread of a mean of independent parts. */
function quadrature(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) / values.length;
}

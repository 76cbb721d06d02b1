import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors, type SplitErrors } from "anchoreval/bundle";
import {
  estimatorsOf,
  figureOf,
  type Blend,
  type ByEstimator,
  type EstimatorId,
  type RandomSource,
} from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { crossFittedInterval, type CrossFittedInput } from "./cross-fitted-interval.ts";
import { errorQuantile, heldOutScores } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { measuredCoverage } from "./measured-coverage.ts";
import { randomBaseline } from "./random-baseline.ts";
import { rounded } from "./rounded.ts";

export interface MeasureInput extends CrossFittedInput {
  readonly matrix: ResponseMatrix;
  readonly slice: ScenarioSlice;
  readonly n: number;
  readonly random: RandomSource;
}

/** Errors of one scenario and size on source models that were held out of every step. */
export function measureErrors(input: MeasureInput): MeasuredErrors {
  return {
    interpolation: splitErrors(input, input.interpolation),
    extrapolation: splitErrors(input, input.extrapolation),
  };
}

function splitErrors(input: MeasureInput, estimates: readonly HeldOutEstimate[]): SplitErrors | null {
  if (estimates.length === 0) return null;
  const { matrix, slice, n, estimator, blend, random } = input;
  const truths = new Map(estimates.map(({ model, truth }) => [model, truth]));
  const models = [...truths.keys()];
  const stream = random.fork(`random ${slice.id} ${n}`);
  const { errors } = randomBaseline(matrix, slice, models, [...truths.values()], n, stream);
  const intervals = estimates.map(crossFittedInterval(input));
  return {
    models: models.length,
    estimators: summaries(estimates, blend),
    randomMae: rounded(errors.reduce((sum, error) => sum + error, 0) / models.length),
    ...measuredCoverage(estimates, intervals),
    absoluteError: ERROR_LEVELS.map((level) => {
      const error = errorQuantile(estimates, estimator, blend, level);
      return error === null ? null : rounded(error);
    }),
  };
}

function summaries(
  estimates: readonly HeldOutEstimate[],
  blend: (estimate: HeldOutEstimate) => Blend,
): ByEstimator<ErrorSummary> {
  const scores = estimates.map((estimate) => heldOutScores(estimate, blend(estimate)));
  return Object.fromEntries(
    estimatorsOf(scores[0]!).map((id) => [
      id,
      errorSummary(estimates.map(({ truth }, k) => figureOf(scores[k]!, id) - truth)),
    ]),
  ) as Record<EstimatorId, ErrorSummary>;
}

/** Mean absolute, root mean squared and mean error. */
export function errorSummary(errors: readonly number[]): ErrorSummary {
  const mean = (of: (error: number) => number): number =>
    errors.reduce((sum, error) => sum + of(error), 0) / errors.length;
  return {
    mae: rounded(mean(Math.abs)),
    rmse: rounded(Math.sqrt(mean((error) => error * error))),
    bias: rounded(mean((error) => error)),
  };
}

import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors, type SplitErrors } from "anchoreval/bundle";
import { ESTIMATORS, type Blend, type EstimatorId, type RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { errorQuantile, heldOutInterval, heldOutScore, heldOutScores } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { holdsTruth } from "./interval-figures.ts";
import { randomBaseline } from "./random-baseline.ts";
import { withoutFold } from "./without-fold.ts";

/** Held-out models below which coverage isn't measured. */
export const LEAST_MODELS_FOR_COVERAGE = 20;

export interface MeasureInput {
  readonly matrix: ResponseMatrix;
  readonly slice: ScenarioSlice;
  readonly n: number;
  readonly estimator: EstimatorId;
  readonly interval: "design" | "cross-validated";
  /** What blends the estimators of a held-out model, learned without it. */
  readonly blend: (estimate: HeldOutEstimate) => Blend;
  readonly interpolation: readonly HeldOutEstimate[];
  readonly extrapolation: readonly HeldOutEstimate[];
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
  const { matrix, slice, n, estimator, interval, blend, random } = input;
  const truths = new Map(estimates.map(({ model, truth }) => [model, truth]));
  const models = [...truths.keys()];
  const stream = random.fork(`random ${slice.id} ${n}`);
  const { errors } = randomBaseline(matrix, slice, models, [...truths.values()], n, stream);
  const bounds = estimates.map(intervalOf(input));
  const covers = interval === "design" || input.interpolation.length > 0;
  const known = models.length >= LEAST_MODELS_FOR_COVERAGE && covers && bounds.every((bound) => bound !== null);
  return {
    models: models.length,
    estimators: summaries(estimates, blend),
    randomMae: rounded(errors.reduce((sum, error) => sum + error, 0) / models.length),
    coverage95: known
      ? rounded(bounds.filter((bound, k) => holdsTruth(bound, estimates[k]!.truth)).length / bounds.length)
      : null,
    halfWidth95: known
      ? rounded(bounds.reduce((sum, bound) => sum + (bound.high - bound.low) / 2, 0) / bounds.length)
      : null,
    absoluteError: ERROR_LEVELS.map((level) => {
      const error = errorQuantile(estimates, estimator, blend, level);
      return error === null ? null : rounded(error);
    }),
  };
}

/**
 * The 95 % interval that a held-out model was given; a cross-validated one comes from the errors of models that its fold
 * does not hold out, in whichever fold they were.
 */
function intervalOf(input: MeasureInput): (estimate: HeldOutEstimate) => { low: number; high: number } | null {
  const { blend } = input;
  if (input.interval === "design") return (estimate) => heldOutInterval(estimate, input.estimator, blend(estimate));
  const errorOf = withoutFold([...input.interpolation, ...input.extrapolation], (held) => {
    const others = input.interpolation.filter(({ model }) => !held.has(model));
    return errorQuantile(others, input.estimator, blend, 0.95);
  });
  return (estimate) => {
    const error = errorOf(estimate);
    if (error === null) return null;
    const score = heldOutScore(estimate, input.estimator, blend(estimate));
    return { low: Math.max(estimate.bounds.low, score - error), high: Math.min(estimate.bounds.high, score + error) };
  };
}

function summaries(
  estimates: readonly HeldOutEstimate[],
  blend: (estimate: HeldOutEstimate) => Blend,
): Record<EstimatorId, ErrorSummary> {
  const scores = estimates.map((estimate) => heldOutScores(estimate, blend(estimate)));
  return Object.fromEntries(
    ESTIMATORS.map((id) => [id, errorSummary(estimates.map(({ truth }, k) => scores[k]![id] - truth))]),
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

/** Six decimals: a ten-thousandth of a point is more than any error is known to. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors, type SplitErrors } from "anchoreval/bundle";
import { blendEstimates, ESTIMATORS, type Blend, type EstimatorId, type RandomSource } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { modelFamilies } from "../splits/families.ts";
import type { LambdaRule } from "./configuration.ts";
import { errorQuantile, heldOutInterval, heldOutScore } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { blendingWeight } from "./lambda.ts";
import { insideBlend } from "./learn-blends.ts";
import { randomErrors } from "./random-baseline.ts";

/** Held-out models below which coverage isn't measured. */
export const LEAST_MODELS_FOR_COVERAGE = 20;

export interface MeasureInput {
  readonly matrix: ResponseMatrix;
  readonly slice: ScenarioSlice;
  readonly n: number;
  readonly estimator: EstimatorId;
  readonly interval: "design" | "cross-validated";
  /** What the bundle serves with. */
  readonly blend: Blend;
  readonly lambdaRule: LambdaRule;
  readonly interpolation: readonly HeldOutEstimate[];
  readonly extrapolation: readonly HeldOutEstimate[];
  readonly random: RandomSource;
}

/**
 * What blends the estimators of a held-out model: learned without the fold that it is in, and without the models of that fold in others
 * (random folds and the weak-to-strong one hold the same models out).
 */
export function foldOutBlend({
  matrix,
  n,
  blend,
  lambdaRule,
  interpolation,
  extrapolation,
}: Pick<MeasureInput, "matrix" | "n" | "blend" | "lambdaRule" | "interpolation" | "extrapolation">): (
  estimate: HeldOutEstimate,
) => Blend {
  const known = new Map<number, Blend>();
  const families = modelFamilies(matrix.subjects);
  return ({ fold }) => {
    let own = known.get(fold);
    if (own === undefined) {
      const held = heldModels({ interpolation, extrapolation }, fold);
      const others = (estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] =>
        estimates.filter(({ model }) => !held.has(model));
      const lambda =
        lambdaRule === "reference"
          ? blend.lambda
          : blendingWeight([...others(interpolation), ...others(extrapolation)]);
      own = insideBlend(others(interpolation), { n, lambda, families });
      known.set(fold, own);
    }
    return own;
  };
}

/** Errors of one scenario and size on source models that were held out of every step. */
export function measureErrors(input: MeasureInput): MeasuredErrors {
  const blend = foldOutBlend(input);
  return {
    interpolation: splitErrors(input, input.interpolation, blend),
    extrapolation: splitErrors(input, input.extrapolation, blend),
  };
}

function splitErrors(
  input: MeasureInput,
  estimates: readonly HeldOutEstimate[],
  blend: (estimate: HeldOutEstimate) => Blend,
): SplitErrors | null {
  if (estimates.length === 0) return null;
  const { matrix, slice, n, estimator, interval, random } = input;
  const truths = new Map(estimates.map(({ model, truth }) => [model, truth]));
  const models = [...truths.keys()];
  const baseline = randomErrors(matrix, slice, models, [...truths.values()], n, random.fork(`random ${slice.id} ${n}`));
  const bounds = estimates.map(intervalOf(input, blend));
  const covers = interval === "design" || input.interpolation.length > 0;
  const known = models.length >= LEAST_MODELS_FOR_COVERAGE && covers && bounds.every((bound) => bound !== null);
  return {
    models: models.length,
    estimators: summaries(estimates, blend),
    randomMae: rounded(baseline.reduce((sum, error) => sum + error, 0) / models.length),
    coverage95: known
      ? rounded(
          bounds.filter(
            (bound, k) => bound.low <= estimates[k]!.truth + 1e-12 && estimates[k]!.truth <= bound.high + 1e-12,
          ).length / bounds.length,
        )
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
function intervalOf(
  input: MeasureInput,
  blend: (estimate: HeldOutEstimate) => Blend,
): (estimate: HeldOutEstimate) => { low: number; high: number } | null {
  if (input.interval === "design") return (estimate) => heldOutInterval(estimate, input.estimator, blend(estimate));
  const known = new Map<number, number | null>();
  const errorOf = (fold: number): number | null => {
    let error = known.get(fold);
    if (error === undefined) {
      const held = heldModels(input, fold);
      const others = input.interpolation.filter(({ model }) => !held.has(model));
      error = errorQuantile(others, input.estimator, blend, 0.95);
      known.set(fold, error);
    }
    return error;
  };
  return (estimate) => {
    const error = errorOf(estimate.fold);
    if (error === null) return null;
    const score = heldOutScore(estimate, input.estimator, blend(estimate));
    return { low: Math.max(estimate.bounds.low, score - error), high: Math.min(estimate.bounds.high, score + error) };
  };
}

/** The models that a fold holds out. */
function heldModels(
  { interpolation, extrapolation }: Pick<MeasureInput, "interpolation" | "extrapolation">,
  fold: number,
): Set<number> {
  return new Set([...interpolation, ...extrapolation].filter((own) => own.fold === fold).map(({ model }) => model));
}

function summaries(
  estimates: readonly HeldOutEstimate[],
  blend: (estimate: HeldOutEstimate) => Blend,
): Record<EstimatorId, ErrorSummary> {
  const scores = estimates.map((estimate) => {
    const { base, seen, bounds } = estimate;
    return blendEstimates(base, blend(estimate), seen, bounds).estimators;
  });
  const summary = (id: EstimatorId): ErrorSummary => {
    let absolute = 0;
    let squares = 0;
    let sum = 0;
    estimates.forEach(({ truth }, k) => {
      const error = scores[k]![id] - truth;
      absolute += Math.abs(error);
      squares += error * error;
      sum += error;
    });
    const count = estimates.length;
    return { mae: rounded(absolute / count), rmse: rounded(Math.sqrt(squares / count)), bias: rounded(sum / count) };
  };
  return Object.fromEntries(ESTIMATORS.map((id) => [id, summary(id)])) as Record<EstimatorId, ErrorSummary>;
}

/** Six decimals: a ten-thousandth of a point is more than any error is known to. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

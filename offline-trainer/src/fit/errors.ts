import type { ErrorSummary, MeasuredErrors, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { ERROR_LEVELS } from "anchoreval/internal/core/bundle/names";
import {
  type Blend,
  type ByEstimator,
  type EstimatorId,
  estimatorsOf,
  estimatorFigure,
} from "anchoreval/internal/core/estimators/types";
import { wilsonInterval } from "anchoreval/internal/core/inference/score-interval";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { fullScoreAt } from "anchoreval/internal/core/scoring/full-score";
import { fullScoreLine } from "../calibrate/full-score-line.ts";
import type { Scenario } from "../matrix/benchmark.ts";
import { isWhole } from "../matrix/splits.ts";
import { mean } from "../numeric/statistics.ts";
import {
  clusteredError,
  type CrossFittedInput,
  crossFittedInterval,
  errorQuantile,
  heldOutScores,
  holdsTruth,
  pooledQuantile,
  rounded,
  type ScoreInterval,
  winklerScore,
} from "./held-out-scores.ts";
import type { HeldOutEstimate } from "./held-out.ts";

export interface MeasureInput extends CrossFittedInput {
  readonly scenario: Omit<Scenario, "families">;
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
  const { scenario, n, estimator, blend, random } = input;
  const truths = new Map(estimates.map(({ model, truth }) => [model, truth]));
  const models = [...truths.keys()];
  const stream = random.fork(`random ${scenario.id} ${n}`);
  const { errors } = randomBaseline(scenario, models, [...truths.values()], n, stream);
  const intervals = estimates.map(crossFittedInterval(input));
  return {
    models: models.length,
    ...answeredPart(estimates),
    estimators: summaries(estimates, blend),
    randomMae: rounded(errors.reduce((sum, error) => sum + error, 0) / models.length),
    ...measuredCoverage(estimates, intervals),
    absoluteError: ERROR_LEVELS.map((level) => {
      const error = errorQuantile(estimates, estimator, blend, level);
      return error === null ? null : rounded(error);
    }),
  };
}

/** The mean share of the anchors that the models answered, where that isn't nearly all. */
export function answeredPart(estimates: readonly HeldOutEstimate[]): Pick<SplitErrors, "answered"> {
  const answered = mean(estimates.map(({ part }) => part ?? 1));
  return isWhole(answered) ? {} : { answered: rounded(answered) };
}

function summaries(
  estimates: readonly HeldOutEstimate[],
  blend: (estimate: HeldOutEstimate) => Blend,
): ByEstimator<ErrorSummary> {
  const scores = estimates.map((estimate) => heldOutScores(estimate, blend(estimate)));
  return Object.fromEntries(
    estimatorsOf(scores[0]!).map((id) => [
      id,
      errorSummary(estimates.map(({ truth }, k) => estimatorFigure(scores[k]!, id) - truth)),
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

/**
 * Held-out models below which coverage isn't measured: of fewer, less than one is expected to miss a 95 % interval.
 * Chosen, not measured.
 */
export const LEAST_MODELS_FOR_COVERAGE = 20;

/** Share of models whose intervals are no wider than a plan says (docs/decisions/comparisons.md). */
const PROMISED_SHARE = 0.9;

/**
 * How many of the 95 % intervals that held-out models were given hold their truth, with the standard error of that (forms
 * of one model are not many models), and how wide they are: on the mean, and of nine in ten models at most (the
 * ⌈(M+1)·.9⌉-th of M, as `errorQuantile` counts).
 * @param intervals - aligned with `estimates`
 * @returns nulls where the models are too few, or one has no interval
 */
export function measuredCoverage(
  estimates: readonly { readonly model: number; readonly truth: number }[],
  intervals: readonly (ScoreInterval | null)[],
): Required<Pick<SplitErrors, "coverage95" | "coverageSe" | "halfWidth95" | "halfWidth95P90">> {
  const models = estimates.map(({ model }) => model);
  const present = intervals.flatMap((interval) => interval ?? []);
  const count = new Set(models).size;
  if (count < LEAST_MODELS_FOR_COVERAGE || present.length < estimates.length)
    return { coverage95: null, coverageSe: null, halfWidth95: null, halfWidth95P90: null };
  const widths = present.map(({ low, high }) => (high - low) / 2);
  const hits = present.map((interval, k): number => (holdsTruth(interval, estimates[k]!.truth) ? 1 : 0));
  const coverage = hits.reduce((sum, hit) => sum + hit, 0) / hits.length;
  const residuals = hits.map((hit) => hit - coverage);
  return {
    coverage95: rounded(coverage),
    coverageSe: rounded(clusteredError(models, residuals, hits.length)!), // there are twenty models or more
    halfWidth95: rounded(widths.reduce((sum, width) => sum + width, 0) / widths.length),
    halfWidth95P90: rounded(pooledQuantile(widths, count, PROMISED_SHARE)!),
  };
}

/** Draws of the baseline. Chosen, not measured. */
const DRAWS = 200;

/** Level of its intervals, by definition, and the normal quantile of that. */
const LEVEL = 0.95;
const Z = normalQuantile((1 + LEVEL) / 2);

/** Absolute errors of random items, target by target: means over the draws, as fractions. */
interface RandomBaseline {
  /** Mean absolute error. */
  readonly errors: Float64Array;
  /** Of Wilson's 95 % interval; null where every item is asked and there is nothing to tell. */
  readonly intervals: {
    /** Share of the intervals that hold the truth. */
    readonly coverage: Float64Array;
    readonly halfWidth: Float64Array;
    readonly winkler: Float64Array;
  } | null;
}

/**
 * Simple random sampling without replacement of n items with weighted mean Σwy/Σw, of each target against the same
 * truth: {@link DRAWS} draws. Its interval is Wilson's, at the mean and the effective number of items (Σw)²/Σw² (n where
 * items weigh the same), as one would give it who knows nothing but the answers: no factor for a finite number of items,
 * and scores between 0 and 1 as if they were right or wrong. Without any observed answer the score is taken for ½, by
 * an interval from 0 to 1. Where full scores were given, the mean goes by the line of all models, the targets too.
 * @param truths - full scores, aligned with `targets`
 * @see Kish (1965), Survey Sampling, §11.2 (effective number)
 */
export function randomBaseline(
  scenario: Omit<Scenario, "families">,
  targets: readonly number[],
  truths: readonly number[],
  n: number,
  random: RandomSource,
): RandomBaseline {
  const { matrix, begin, count, weights } = scenario;
  const size = Math.min(n, count);
  const line = fullScoreLine(matrix, scenario);
  const zeros = (): Float64Array => new Float64Array(targets.length);
  const errors = zeros();
  const intervals = size < count ? { held: zeros(), halfWidth: zeros(), winkler: zeros() } : null;
  const items = Int32Array.from({ length: count }, (_, i) => i);
  for (let draw = 0; draw < DRAWS; draw++) {
    for (let k = 0; k < size; k++) {
      const other = k + random.below(count - k);
      const item = items[k]!;
      items[k] = items[other]!;
      items[other] = item;
    }
    for (let t = 0; t < targets.length; t++) {
      const row = targets[t]! * matrix.items.length + begin;
      const truth = truths[t]!;
      let sum = 0;
      let mass = 0;
      let squares = 0;
      for (let k = 0; k < size; k++) {
        const item = items[k]!;
        if (matrix.observed !== null && matrix.observed[row + item] === 0) continue;
        const weight = weights[item]!;
        sum += weight * matrix.scores[row + item]!;
        mass += weight;
        squares += weight * weight;
      }
      const drawn = mass > 0 ? sum / mass : 0.5;
      const score = line ? fullScoreAt(line, drawn) : drawn;
      errors[t]! += Math.abs(score - truth) / DRAWS;
      if (intervals === null) continue;
      const interval = mass > 0 ? wilsonInterval(score, mass ** 2 / squares, Z) : { low: 0, high: 1 };
      intervals.held[t]! += holdsTruth(interval, truth) ? 1 : 0;
      intervals.halfWidth[t]! += (interval.high - interval.low) / 2 / DRAWS;
      intervals.winkler[t]! += winklerScore(interval, truth, LEVEL) / DRAWS;
    }
  }
  if (intervals === null) return { errors, intervals };
  const { held, halfWidth, winkler } = intervals;
  return { errors, intervals: { coverage: held.map((draws) => draws / DRAWS), halfWidth, winkler } };
}

import type { ErrorSummary, MeasuredErrors, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { ERROR_LEVELS } from "anchoreval/internal/core/bundle/names";
import {
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
  figureQuantiles,
  heldOutResult,
  type HeldOutResult,
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

/**
 * Errors of one scenario and size on source models that were held out of every step.
 * @param randomOf - {@link randomErrors} of the same scenario, size and stream
 */
export function measureErrors(input: MeasureInput, randomOf = randomErrors(input)): MeasuredErrors {
  return {
    interpolation: splitErrors(input, input.interpolation, randomOf),
    extrapolation: splitErrors(input, input.extrapolation, randomOf),
  };
}

function splitErrors(
  input: MeasureInput,
  estimates: readonly HeldOutEstimate[],
  randomOf: RandomErrors,
): SplitErrors | null {
  if (estimates.length === 0) return null;
  const { estimator, blend } = input;
  const truths = new Map(estimates.map(({ model, truth }) => [model, truth]));
  const models = [...truths.keys()];
  const errors = randomOf(models, [...truths.values()]);
  const results = new Map(estimates.map((estimate) => [estimate, heldOutResult(estimate, estimator, blend(estimate))]));
  const intervalOf = crossFittedInterval(input);
  const absolute = (estimate: HeldOutEstimate): number => Math.abs(results.get(estimate)!.score - estimate.truth);
  return {
    models: models.length,
    ...answeredPart(estimates),
    estimators: summaries(estimates, [...results.values()]),
    randomMae: rounded(errors.reduce((sum, error) => sum + error, 0) / models.length),
    ...measuredCoverage(
      estimates,
      Array.from(results, ([estimate, result]) => intervalOf(estimate, result)),
    ),
    absoluteError: figureQuantiles(estimates, absolute, ERROR_LEVELS).map((error) =>
      error === null ? null : rounded(error),
    ),
  };
}

/** The mean share of the anchors that the models answered, where that isn't nearly all. */
export function answeredPart(estimates: readonly HeldOutEstimate[]): Pick<SplitErrors, "answered"> {
  const answered = mean(estimates.map(({ part }) => part ?? 1));
  return isWhole(answered) ? {} : { answered: rounded(answered) };
}

function summaries(
  estimates: readonly HeldOutEstimate[],
  results: readonly HeldOutResult[],
): ByEstimator<ErrorSummary> {
  return Object.fromEntries(
    estimatorsOf(results[0]!.scores).map((id) => [
      id,
      errorSummary(estimates.map(({ truth }, k) => estimatorFigure(results[k]!.scores, id) - truth)),
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
  const zeros = (): Float64Array => new Float64Array(targets.length);
  const errors = zeros();
  const intervals = n < scenario.count ? { held: zeros(), halfWidth: zeros(), winkler: zeros() } : null;
  eachRandomScore(scenario, targets, n, random, (t, score, answers) => {
    const truth = truths[t]!;
    errors[t]! += Math.abs(score - truth) / DRAWS;
    if (intervals === null) return;
    const interval = answers > 0 ? wilsonInterval(score, answers, Z) : { low: 0, high: 1 };
    intervals.held[t]! += holdsTruth(interval, truth) ? 1 : 0;
    intervals.halfWidth[t]! += (interval.high - interval.low) / 2 / DRAWS;
    intervals.winkler[t]! += winklerScore(interval, truth, LEVEL) / DRAWS;
  });
  if (intervals === null) return { errors, intervals };
  const { held, halfWidth, winkler } = intervals;
  return { errors, intervals: { coverage: held.map((draws) => draws / DRAWS), halfWidth, winkler } };
}

/** Mean absolute errors of random items on some models with their truths. */
type RandomErrors = (models: readonly number[], truths: readonly number[]) => readonly number[];

/** The errors of {@link randomBaseline} alone, for models that come again: each is computed once for a truth. */
export function randomErrors({ scenario, n, random }: Pick<MeasureInput, "scenario" | "n" | "random">): RandomErrors {
  const measured = new Map<number, { readonly truth: number; error: number }>();
  return (models, truths) => {
    const open: { readonly truth: number; error: number }[] = [];
    const targets = models.filter((model, k) => {
      if (measured.get(model)?.truth === truths[k]) return false;
      const target = { truth: truths[k]!, error: 0 };
      measured.set(model, target);
      open.push(target);
      return true;
    });
    const stream = random.fork(`random ${scenario.id} ${n}`);
    eachRandomScore(scenario, targets, n, stream, (t, score) => {
      const target = open[t]!;
      target.error += Math.abs(score - target.truth) / DRAWS;
    });
    return models.map((model) => measured.get(model)!.error);
  };
}

/** Visits every target's scores by all draws, target by target. @param visit - gets the effective number of items, too */
function eachRandomScore(
  scenario: Omit<Scenario, "families">,
  targets: readonly number[],
  n: number,
  random: RandomSource,
  visit: (t: number, score: number, answers: number) => void,
): void {
  const { matrix, begin, count, weights } = scenario;
  const { scores, observed, stride } = matrix;
  const size = Math.min(n, count);
  const line = fullScoreLine(matrix, scenario);
  const items = Int32Array.from({ length: count }, (_, i) => i);
  const drawn = new Int32Array(DRAWS * size);
  for (let draw = 0; draw < DRAWS; draw++)
    for (let k = 0; k < size; k++) {
      const other = k + random.below(count - k);
      const item = items[other]!;
      items[other] = items[k]!;
      items[k] = item;
      drawn[draw * size + k] = item;
    }
  for (let t = 0; t < targets.length; t++) {
    const row = targets[t]! * stride + begin;
    for (let at = 0; at < drawn.length;) {
      let sum = 0;
      let mass = 0;
      let squares = 0;
      for (const end = at + size; at < end; at++) {
        const item = drawn[at]!;
        if (observed !== null && observed[row + item] === 0) continue;
        const weight = weights[item]!;
        sum += weight * scores[row + item]!;
        mass += weight;
        squares += weight * weight;
      }
      const mean = mass > 0 ? sum / mass : 0.5;
      visit(t, line ? fullScoreAt(line, mean) : mean, mass > 0 ? mass ** 2 / squares : 0);
    }
  }
}

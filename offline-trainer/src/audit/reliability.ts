import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores } from "../prepare/full-scores.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { probabilities, type FittedAnswers } from "./fitted-answers.ts";

/** Share of the variance between models that is no error, of one scenario's score. */
export interface ScoreReliability {
  /** 1 − mean error variance / variance of the observed scores, by the response model; null where scores were binarised. */
  readonly model: number | null;
  /** Cronbach's alpha, for scores of 0 and 1 Kuder & Richardson's formula 20; null with fewer than two complete models. */
  readonly alpha: number | null;
  /** Models that answered everything: what alpha is from. */
  readonly complete: number;
}

/**
 * Marginal reliability of every dimension, Var(θ̂)/(Var(θ̂) + mean SE²), over models, SE² the posterior variances.
 * @param covariances - of {@link abilityCovariances}
 * @returns D numbers in [0,1)
 * @see Green et al. (1984), Journal of Educational Measurement 21, 347–360; mirt's `empirical_rxx`
 */
export function abilityReliability({ models, calibration }: FittedAnswers, covariances: Float64Array): Float64Array {
  const { theta, dims } = calibration;
  return Float64Array.from({ length: dims }, (_, d) => {
    const own = Float64Array.from({ length: models }, (_value, m) => theta[m * dims + d]!);
    let error = 0;
    for (let m = 0; m < models; m++) error += covariances[(m * dims + d) * dims + d]! / models;
    const between = variance(own);
    return between / (between + error);
  });
}

/**
 * Reliability of a scenario's score. By the model, a model's error variance is Σ w²·PQ over the items that it answered,
 * w summing to 1 over them.
 * @param rows - the rows of the matrix that the calibration has
 * @param binary - the scores are those that the curves are of, not binarised
 * @see Cronbach (1951), Psychometrika 16, 297–334; Kuder & Richardson (1937), Psychometrika 2, 151–160;
 *   Kolen, Zeng & Hanson (1996), Journal of Educational Measurement 33, 129–140 for the error variance
 */
export function scoreReliability(
  answers: FittedAnswers,
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  slice: ScenarioSlice,
  binary: boolean,
): ScoreReliability {
  return {
    model: binary ? modelReliability(answers, matrix, rows, slice) : null,
    ...alpha(matrix, slice),
  };
}

function modelReliability(
  answers: FittedAnswers,
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  slice: ScenarioSlice,
): number | null {
  const { models, signs } = answers;
  const { score, observed } = fullScores(matrix, slice);
  const error = new Float64Array(models);
  const p = new Float64Array(models);
  for (let i = 0; i < slice.count; i++) {
    const item = slice.begin + i;
    probabilities(answers, item, p);
    for (let m = 0; m < models; m++)
      if (signs[item * models + m] !== 0)
        error[m]! += (slice.weights[i]! / observed[rows[m]!]!) ** 2 * p[m]! * (1 - p[m]!);
  }
  const present = Array.from(error.keys()).filter((m) => !Number.isNaN(score[rows[m]!]!));
  const between = variance(Float64Array.from(present, (m) => score[rows[m]!]!));
  const within = present.reduce((sum, m) => sum + error[m]!, 0) / present.length;
  return between > 0 ? 1 - within / between : null;
}

function alpha(matrix: ResponseMatrix, { begin, count }: ScenarioSlice): { alpha: number | null; complete: number } {
  const columns = matrix.items.length;
  const complete = matrix.subjects.flatMap((_, m) => {
    const seen = matrix.observed?.subarray(m * columns + begin, m * columns + begin + count);
    return seen?.includes(0) === true ? [] : [m];
  });
  if (complete.length < 2 || count < 2) return { alpha: null, complete: complete.length };
  const total = new Float64Array(complete.length);
  const column = new Float64Array(complete.length);
  let items = 0;
  for (let i = 0; i < count; i++) {
    complete.forEach((m, k) => {
      column[k] = matrix.scores[m * columns + begin + i]!;
      total[k]! += column[k];
    });
    items += variance(column);
  }
  const all = variance(total);
  return { alpha: all > 0 ? (count / (count - 1)) * (1 - items / all) : null, complete: complete.length };
}

/** Over n: in ratios it makes no difference. */
function variance(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

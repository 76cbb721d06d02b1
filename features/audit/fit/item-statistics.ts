import { softplus } from "anchoreval/internal/core/numeric/functions";
import { calibrate, type CalibrateOptions } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { shares } from "../../../offline-trainer/src/calibrate/scales.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, type ScenarioSlice } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { total, variance } from "../../../offline-trainer/src/numeric/statistics.ts";
import { type FittedAnswers, probabilities } from "./fitted-answers.ts";

/** An item against the rest of its scenario, among the models that answered it. */
export type ItemStatistics = ReturnType<typeof itemStatistics>[number];

/**
 * Classical statistics of every item of a scenario. They use the answers only, no response model, so they also
 * reveal items that the model can't fit.
 * @see Lord & Novick (1968), Statistical Theories of Mental Test Scores, ch. 15
 */
export function itemStatistics(matrix: ResponseMatrix, slice: ScenarioSlice) {
  const { begin, count, weights } = slice;
  const { score } = fullScores(matrix, slice);
  const models = Array.from(score.keys()).filter((m) => !Number.isNaN(score[m]!));
  const ranked = [...models].sort((x, y) => score[x]! - score[y]! || x - y);
  const quarter = Math.max(1, Math.floor(ranked.length / 4));
  const isWeak = flags(score.length, ranked.slice(0, quarter));
  const isStrong = flags(score.length, ranked.slice(-quarter));
  const mass = observedMass(matrix, slice);
  const whole = new Moments(count);
  const weakest = new Moments(count);
  const strongest = new Moments(count);
  for (const m of models) {
    const at = m * matrix.stride + begin;
    const sum = score[m]! * mass[m]!;
    for (let i = 0; i < count; i++) {
      if (matrix.observed !== null && matrix.observed[at + i] === 0) continue;
      const y = matrix.scores[at + i]!;
      whole.add(i, y, (sum - weights[i]! * y) / (mass[m]! - weights[i]!));
      if (isWeak[m] === 1) weakest.addMean(i, y);
      if (isStrong[m] === 1) strongest.addMean(i, y);
    }
  }
  return Array.from({ length: count }, (_, i) => ({
    models: whole.count[i]!,
    mean: whole.mean(i),
    /** Mean score among the weakest and the strongest quarter of the models. */
    weakest: weakest.mean(i),
    strongest: strongest.mean(i),
    /** With the models' scores on all other items (item-rest correlation); NaN where either is constant. */
    correlation: whole.correlation(i),
  }));
}

/** 1 at some places of so many, else 0. */
function flags(length: number, places: readonly number[]): Uint8Array {
  const out = new Uint8Array(length);
  for (const place of places) out[place] = 1;
  return out;
}

/** Weight of the items that each model answered. */
function observedMass(
  { stride, observed, subjects }: ResponseMatrix,
  { begin, count, weights }: ScenarioSlice,
): Float64Array {
  return Float64Array.from(subjects, (_, m) => {
    let sum = 0;
    for (let i = 0; i < count; i++) if (observed === null || observed[m * stride + begin + i] !== 0) sum += weights[i]!;
    return sum;
  });
}

/** Means and products of many series of pairs, updated one by one (Welford). */
class Moments {
  readonly count: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #xx: Float64Array;
  readonly #yy: Float64Array;
  readonly #xy: Float64Array;

  constructor(series: number) {
    [this.count, this.#x, this.#y] = [new Float64Array(series), new Float64Array(series), new Float64Array(series)];
    [this.#xx, this.#yy, this.#xy] = [new Float64Array(series), new Float64Array(series), new Float64Array(series)];
  }

  add(k: number, x: number, y: number): void {
    const dx = this.addMean(k, x);
    const dy = y - this.#y[k]!;
    this.#y[k] = this.#y[k]! + dy / this.count[k]!;
    this.#xx[k] = this.#xx[k]! + dx * (x - this.#x[k]!);
    this.#yy[k] = this.#yy[k]! + dy * (y - this.#y[k]);
    this.#xy[k] = this.#xy[k]! + dx * (y - this.#y[k]);
  }

  /** For the mean alone. @returns by how much the value exceeds the mean before it */
  addMean(k: number, x: number): number {
    this.count[k] = this.count[k]! + 1;
    const dx = x - this.#x[k]!;
    this.#x[k] = this.#x[k]! + dx / this.count[k];
    return dx;
  }

  /** NaN of none. */
  mean(k: number): number {
    return this.count[k]! > 0 ? this.#x[k]! : NaN;
  }

  correlation(k: number): number {
    const [xx, yy] = [this.#xx[k]!, this.#yy[k]!];
    return xx > 1e-12 && yy > 1e-12 ? this.#xy[k]! / Math.sqrt(xx * yy) : NaN;
  }
}

/** Fewest models whose answers say anything about an item. */
export const LEAST_MODELS_FOR_AUDIT = 20;

/** Fewest answers of the rarer kind: each of fewer would count for too much. */
export const LEAST_RARE = 3;

/**
 * Whether an item's correlation with the rest isn't clearly above zero, r < 2/√M, twice the spread of r without any
 * relation: `reversed` where it is as far below zero, so that strong models miss the item and weak ones get it.
 * @returns null for other items, and for those that few models answered, or that nearly every model gets or misses
 */
export function suspicion({ models, mean, correlation }: ItemStatistics): "reversed" | "unrelated" | null {
  const margin = 2 / Math.sqrt(models);
  const rare = Math.min(mean, 1 - mean) * models;
  if (models < LEAST_MODELS_FOR_AUDIT || rare < LEAST_RARE || !(correlation < margin)) return null;
  return correlation <= -margin ? "reversed" : "unrelated";
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
    const between = variance(theta.filter((_, k) => k % dims === d));
    let error = 0;
    for (let m = 0; m < models; m++) error += covariances[(m * dims + d) * dims + d]! / models;
    return between / (between + error);
  });
}

/**
 * Reliability of a scenario's score, the share of its between-model variance that isn't error. `model`: 1 − mean error
 * variance / variance of the observed scores, a model's error variance Σ w²·PQ over the items that it answered, w summing to
 * 1 over them; null where scores were binarised. `alpha`: Cronbach's, for scores of 0 and 1 Kuder & Richardson's formula
 * 20, from the `complete` models that answered everything; null with fewer than two.
 * @param rows - the rows of the matrix that the calibration has
 * @param binary - the scores are those that the curves describe, not binarised
 * @see Cronbach (1951), Psychometrika 16, 297–334; Kuder & Richardson (1937), Psychometrika 2, 151–160;
 *   Kolen, Zeng & Hanson (1996), Journal of Educational Measurement 33, 129–140 for the error variance
 */
export function scoreReliability(
  answers: FittedAnswers,
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  slice: ScenarioSlice,
  binary: boolean,
): { model: number | null; alpha: number | null; complete: number } {
  return { model: binary ? modelReliability(answers, matrix, rows, slice) : null, ...alpha(matrix, slice) };
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
  const { stride } = matrix;
  const complete = matrix.subjects.flatMap((_, m) => {
    const seen = matrix.observed?.subarray(m * stride + begin, m * stride + begin + count);
    return seen?.includes(0) === true ? [] : [m];
  });
  if (complete.length < 2 || count < 2) return { alpha: null, complete: complete.length };
  const scores = new Float64Array(complete.length);
  const column = new Float64Array(complete.length);
  let items = 0;
  for (let i = 0; i < count; i++) {
    complete.forEach((m, k) => {
      column[k] = matrix.scores[m * stride + begin + i]!;
      scores[k]! += column[k];
    });
    items += variance(column);
  }
  const all = variance(scores);
  return { alpha: all > 0 ? (count / (count - 1)) * (1 - items / all) : null, complete: complete.length };
}

interface HeldOutLikelihoodOptions extends Pick<CalibrateOptions, "dims" | "backend" | "random" | "signal"> {
  /** Share of the answers that are held out. */
  readonly share: number;
}

/**
 * Holds answers out at random, calibrates on the others, and takes the mean log-likelihood of those held out, in nats an
 * answer: cells, not models, so it measures how well the items' curves describe these models. `itemMeans` is that by every
 * item's share of right answers among the others, shrunk by half an answer either way; the gain's standard error has models
 * as sampling units. `overModels` is the same by every model's share, with items as units.
 * @returns these, the answers that were left, and their calibration; null where no answer was drawn
 * @throws AnchorEvalError `aborted`
 */
export async function heldOutLikelihood(
  responses: CodedResponses,
  { random, share, ...options }: HeldOutLikelihoodOptions,
) {
  const { subjects, items, signs } = responses;
  const draw = random.fork("cells");
  const seen = signs.map((sign) => (draw.next() < share ? 0 : sign));
  const coded = { subjects, items, signs: seen };
  const calibration = await calibrate(coded, { ...options, random: random.fork("calibration") });
  const { theta, a, b, dims } = calibration;
  const { item: byItem, subject: byRow } = shares(coded);
  const byModel = new Float64Array(subjects);
  const byMeans = new Float64Array(subjects);
  const counts = new Float64Array(subjects);
  const gains = new Float64Array(items);
  const itemCounts = new Float64Array(items);
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      if (sign === 0 || seen[m * items + i] !== 0) continue;
      let z = -b[i]!;
      for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
      byModel[m]! -= softplus(-sign * z);
      byMeans[m]! += Math.log(sign > 0 ? byItem[i]! : 1 - byItem[i]!);
      counts[m]!++;
      gains[i]! -= softplus(-sign * z) + Math.log(sign > 0 ? byRow[m]! : 1 - byRow[m]!);
      itemCounts[i]!++;
    }
  const n = total(counts);
  if (n === 0) return null;
  const model = total(byModel) / n;
  const itemMeans = total(byMeans) / n;
  return {
    answers: n,
    model,
    itemMeans,
    ...clusteredGain(
      byModel.map((gain, m) => gain - byMeans[m]!),
      counts,
    ),
    overModels: clusteredGain(gains, itemCounts),
    seen: coded,
    calibration,
  };
}

/** Mean of sums over units of so many answers each, and its standard error with these as sampling units. */
function clusteredGain(sums: Float64Array, counts: Float64Array): { gain: number; gainError: number } {
  const n = total(counts);
  const gain = total(sums) / n;
  return { gain, gainError: Math.sqrt(total(sums.map((value, k) => (value - gain * counts[k]!) ** 2))) / n };
}

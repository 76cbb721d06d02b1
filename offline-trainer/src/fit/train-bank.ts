import { itemBank, predictedScores, type ItemBank, type MonotoneMap, type RandomSource } from "anchoreval/core";
import type { ItemFeatures } from "../methods/sublime/item-features.ts";
import { calibrate, type CalibrationStep } from "../calibrate/calibrate.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { isBinary, scoreAt, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { binarizeResponses, cutResponses } from "../prepare/binarize.ts";
import { gradeResponses } from "../prepare/code-responses.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import { fitScoreMap } from "../prepare/score-map.ts";
import { calibrateBank, type BankCalibration, type BankModel } from "./calibrate-bank.ts";
import type { ScoreLink } from "./configuration.ts";
import type { StandingItems } from "./standing-version.ts";

/** Scenarios that share one ability, with their responses: the unit of calibration. */
export interface BankTask {
  readonly id: string;
  /** Columns of these scenarios only. */
  readonly matrix: ResponseMatrix;
  readonly scenarios: readonly ScenarioSlice[];
  /** Family of every model, by row. */
  readonly families: Int32Array;
  /** What is known of its items apart from answers. */
  readonly itemFeatures?: ItemFeatures;
  /** Rows of the models that describe subsets of items by their scores, where they are named. */
  readonly anchorModels?: readonly number[];
  /** By scenario, groups of items that say the same; where copies may be left out. Told from texts, which threads lack. */
  readonly copies?: readonly (readonly (readonly number[])[])[];
}

export interface TrainOptions extends BankModel {
  readonly dims: number;
  readonly link: ScoreLink;
  /** Share of the learned variance of discriminations that is kept. */
  readonly shrinkage: number;
  /** What stays as an earlier version's bundle has it. */
  readonly standing?: StandingItems;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  /** What calibrates, {@link calibrate} itself or one with a memory. */
  readonly calibrator?: typeof calibrate;
  /** Marginal estimation ends where the next step promises less, in nats: 1e-7 unless told. */
  readonly tolerance?: number;
  readonly onStep?: (step: CalibrationStep) => void;
  readonly signal?: AbortSignal;
}

/** One scenario of a trained bank. */
export interface TrainedScenario {
  readonly slice: ScenarioSlice;
  readonly bank: ItemBank;
  readonly threshold: number | null;
  readonly scoreMap: MonotoneMap | null;
  /** Mean score of every item among the source models; NaN where none answered it. */
  readonly accuracy: Float64Array;
  /** Variance of a score about its prediction p, relative to p(1−p): 1 of binary scores, less of graded ones. */
  readonly dispersion: number;
}

/** All that is learned from the answers of some models, the sources; nothing else has been looked at. */
export interface TrainedBank {
  readonly dims: number;
  readonly scenarios: readonly TrainedScenario[];
  /** μ and Σ of the sources' abilities. */
  readonly abilities: { readonly mean: Float64Array; readonly covariance: Float64Array };
  readonly calibration: BankCalibration;
  /** Rows of the sources, in the order of their abilities. */
  readonly rows: ArrayLike<number>;
}

/**
 * Binarises (or takes as they are, by a link), calibrates and summarises a bank on `rows`, the source models.
 * Parameters are rounded to float32, as a bundle keeps them, so that everything after is measured on what is shipped.
 */
export async function trainBank(
  task: Omit<BankTask, "families">,
  rows: ArrayLike<number>,
  options: TrainOptions,
): Promise<TrainedBank> {
  const { dims, link, random, standing, calibrator = calibrate } = options;
  const { matrix, scenarios } = task;
  const graded = link !== "binarize" && !isBinary(matrix);
  const { responses, thresholds } = graded
    ? { responses: gradeResponses(matrix, rows, link), thresholds: scenarios.map(() => null) }
    : standing
      ? cutResponses(matrix, rows, scenarios, standing.thresholds)
      : binarizeResponses(matrix, rows, scenarios);
  const calibration = await calibrateBank(responses, {
    ...options,
    calibrator,
    ...(standing && { known: standing.known }),
    random: random.fork("calibration"),
  });
  const a = Float32Array.from(calibration.a);
  const b = Float32Array.from(calibration.b);
  const lower = calibration.lower && Float32Array.from(calibration.lower);
  const upper = calibration.upper && Float32Array.from(calibration.upper);
  return {
    dims,
    calibration,
    rows,
    abilities: calibration.population ?? moments(calibration.theta, dims),
    scenarios: scenarios.map((slice, s): TrainedScenario => {
      const { begin, count } = slice;
      const own = (values: Float32Array | null): Float32Array | null => values && values.subarray(begin, begin + count);
      const bank = itemBank(a.subarray(begin * dims, (begin + count) * dims), b.subarray(begin, begin + count), {
        lower: own(lower),
        upper: own(upper),
      });
      const threshold = thresholds[s] ?? null;
      const scoreMap = threshold === null ? null : fitScoreMap(matrix, rows, begin, calibration.theta, bank);
      const accuracy = itemAccuracy(matrix, rows, begin, count);
      const { theta } = calibration;
      const dispersion = graded || threshold !== null ? scoreDispersion(matrix, rows, slice, theta, bank, scoreMap) : 1;
      return { slice, bank, threshold, scoreMap, accuracy, dispersion };
    }),
  };
}

/** Mean and covariance of abilities; a hundredth of the unit prior keeps the covariance of few models definite. */
function moments(theta: Float64Array, dims: number): { mean: Float64Array; covariance: Float64Array } {
  const models = theta.length / dims;
  const mean = new Float64Array(dims);
  const covariance = new Float64Array(dims * dims);
  for (let k = 0; k < theta.length; k++) mean[k % dims]! += theta[k]! / models;
  for (let at = 0; at < theta.length; at += dims)
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        covariance[r * dims + c]! += ((theta[at + r]! - mean[r]!) * (theta[at + c]! - mean[c]!)) / models;
  for (let d = 0; d < dims; d++) covariance[d * dims + d]! += 0.01;
  return { mean, covariance };
}

/** Σ(y−p)² / Σp(1−p) over the sources' answers: 1 of binary scores, less of graded ones. */
function scoreDispersion(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  { begin, count }: ScenarioSlice,
  theta: Float64Array,
  bank: ItemBank,
  scoreMap: MonotoneMap | null,
): number {
  let squares = 0;
  let binary = 0;
  for (let k = 0; k < rows.length; k++) {
    const predicted = predictedScores(theta.subarray(k * bank.dims, (k + 1) * bank.dims), bank, scoreMap);
    for (let i = 0; i < count; i++) {
      const score = scoreAt(matrix, rows[k]!, begin + i);
      if (Number.isNaN(score)) continue;
      squares += (score - predicted[i]!) ** 2;
      binary += predicted[i]! * (1 - predicted[i]!);
    }
  }
  return binary > 0 ? Math.min(1, squares / binary) : 1;
}

function itemAccuracy(matrix: ResponseMatrix, rows: ArrayLike<number>, begin: number, count: number): Float64Array {
  const sum = new Float64Array(count);
  const seen = new Float64Array(count);
  for (let k = 0; k < rows.length; k++) {
    const at = rows[k]! * matrix.items.length + begin;
    for (let i = 0; i < count; i++) {
      if (matrix.observed !== null && matrix.observed[at + i] === 0) continue;
      sum[i]! += matrix.scores[at + i]!;
      seen[i]! += 1;
    }
  }
  return sum.map((total, i) => total / seen[i]!);
}

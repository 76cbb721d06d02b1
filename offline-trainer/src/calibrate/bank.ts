import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import type { MonotoneMap } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import type { Scenario } from "../matrix/benchmark.ts";
import { binarizeResponses, type CodedResponses, codeResponses } from "../matrix/code-responses.ts";
import { eachScore, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { fitScoreMap } from "../matrix/score-map.ts";
import { numbers, mean } from "../numeric/statistics.ts";
import { calibrate, type Calibration, type CalibrationStep, type FixedItems } from "./calibrate.ts";
import { calibrateMarginal, type MarginalModel } from "../../../features/fit-estimations.ts";
import type { CalibrationBackend } from "./types.ts";

/** Items of a scenario that keep an earlier calibration's parameters, and where its scores are cut. */
export interface FixedBank {
  readonly dims: number;
  readonly items: FixedItems;
  /** Null where every score is 0 or 1. */
  readonly threshold: number | null;
}

export interface ResponseModel {
  readonly irtModel: MarginalModel;
  /** `penalised`: abilities and items together, in any dimensions; `marginal`: abilities integrated out, in one. */
  readonly estimation: "penalised" | "marginal";
}

export interface FitBankOptions extends ResponseModel {
  readonly dims: number;
  /** Share of the learned variance of discriminations that is kept. */
  readonly shrinkage: number;
  /** Items that keep their parameters: abilities and the others are then found together, whatever the estimation. */
  readonly fixed?: FixedBank;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  /** {@link calibrate} itself, or one that keeps checkpoints. */
  readonly calibrator?: typeof calibrate;
  /** Marginal estimation ends where the next step promises less, in nats: @default 1e-7 */
  readonly tolerance?: number;
  readonly onStep?: (step: CalibrationStep) => void;
  readonly signal?: AbortSignal | undefined;
}

/** All that is learned of a scenario from the answers of some models, the sources; nothing else has been looked at. */
export interface CalibratedScenario {
  readonly bank: ItemBank;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  readonly threshold: number | null;
  readonly scoreMap: MonotoneMap | null;
  /** Mean score of every item among the source models; NaN where none answered it. */
  readonly accuracy: Float64Array;
  /** Variance of a score about its prediction p, relative to p(1−p): 1 of binary scores, less of graded ones. */
  readonly dispersion: number;
  /** μ and Σ of the sources' abilities. */
  readonly abilities: { readonly mean: Float64Array; readonly covariance: Float64Array };
  readonly calibration: BankCalibration;
  /** Rows of the sources, in the order of their abilities. */
  readonly rows: readonly number[];
}

/** Items' parameters, abilities of the sources, and how the search for them ended, whichever way it went. */
interface BankCalibration extends Pick<
  Calibration,
  "dims" | "theta" | "a" | "b" | "value" | "gradientNorm" | "evaluations" | "converged"
> {
  /** Asymptotes, N; null for models without. */
  readonly lower: Float64Array | null;
  readonly upper: Float64Array | null;
}

/**
 * Binarises, calibrates and summarises a scenario on `rows`, the source models.
 * Parameters are rounded to float32, as a bundle keeps them, so that everything after is measured on what is shipped.
 * @throws AnchorEvalError `unsupported` for several dimensions by marginal estimation
 */
export async function fitBank(
  { matrix, weights }: Pick<Scenario, "matrix" | "weights">,
  rows: readonly number[],
  options: FitBankOptions,
): Promise<CalibratedScenario> {
  const { dims, fixed } = options;
  const { responses, threshold } = fixed
    ? { responses: codeResponses(matrix, rows, fixed.threshold), threshold: fixed.threshold }
    : binarizeResponses(matrix, rows);
  const isMarginal = options.estimation === "marginal" && !fixed;
  const calibration = await (isMarginal ? calibrateMarginally : calibratePenalised)(responses, options);
  const { theta, a, b, lower, upper } = calibration;
  const bank = itemBank(Float32Array.from(a), Float32Array.from(b), {
    lower: lower && Float32Array.from(lower),
    upper: upper && Float32Array.from(upper),
  });
  const scoreMap = threshold === null ? null : fitScoreMap(matrix, rows, theta, bank);
  return {
    bank,
    weights,
    threshold,
    scoreMap,
    accuracy: itemAccuracy(matrix, rows),
    dispersion: threshold !== null ? scoreDispersion(matrix, rows, theta, { bank, scoreMap }) : 1,
    abilities: isMarginal ? { mean: Float64Array.of(0), covariance: Float64Array.of(1) } : moments(theta, dims),
    calibration,
    rows,
  };
}

async function calibratePenalised(responses: CodedResponses, options: FitBankOptions): Promise<BankCalibration> {
  const { dims, shrinkage, fixed, backend, random, calibrator = calibrate, onStep, signal } = options;
  const fit = await calibrator(responses, {
    dims,
    shrinkage,
    backend,
    random: random.fork("calibration"),
    ...(fixed && { fixed: fixed.items }),
    ...(onStep && { onStep }),
    signal,
  });
  return { ...fit, lower: null, upper: null };
}

async function calibrateMarginally(responses: CodedResponses, options: FitBankOptions): Promise<BankCalibration> {
  const { irtModel, dims, tolerance, onStep, signal } = options;
  if (dims !== 1)
    throw new AnchorEvalError(
      "unsupported",
      `marginal estimation takes one dimension, not ${dims}: penalised estimation takes several`,
    );
  const fit = await calibrateMarginal(responses, {
    model: irtModel,
    tolerance,
    onStep: ({ iteration, logPosterior }) =>
      onStep?.({ round: 0, evaluations: iteration, share: iteration / (iteration + 20), value: -logPosterior }),
    signal,
  });
  return {
    ...fit,
    dims,
    a: filled(fit.a),
    b: filled(fit.b),
    lower: irtModel === "3pl" || irtModel === "4pl" ? filled(fit.lower) : null,
    upper: irtModel === "4pl" ? filled(fit.upper) : null,
    value: -fit.logPosterior,
  };
}

/** Parameters with the others' mean for an item that no source answered. */
function filled(values: Float64Array): Float64Array {
  const average = mean(numbers(values));
  return values.map((value) => (Number.isNaN(value) ? average : value));
}

/** Mean and covariance of abilities; a hundredth of the unit prior keeps the covariance of few models definite. */
function moments(theta: Float64Array, dims: number): CalibratedScenario["abilities"] {
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
  theta: Float64Array,
  { bank, scoreMap }: Pick<CalibratedScenario, "bank" | "scoreMap">,
): number {
  let squares = 0;
  let binary = 0;
  for (let k = 0; k < rows.length; k++) {
    const predicted = predictedScores(theta.subarray(k * bank.dims, (k + 1) * bank.dims), bank, scoreMap);
    eachScore(matrix, [rows[k]!], (score, _, i) => {
      squares += (score - predicted[i]!) ** 2;
      binary += predicted[i]! * (1 - predicted[i]!);
    });
  }
  return binary > 0 ? Math.min(1, squares / binary) : 1;
}

function itemAccuracy(matrix: ResponseMatrix, rows: ArrayLike<number>): Float64Array {
  const count = matrix.items.length;
  const sum = new Float64Array(count);
  const seen = new Float64Array(count);
  eachScore(matrix, rows, (score, _, i) => {
    sum[i]! += score;
    seen[i]! += 1;
  });
  return sum.map((all, i) => all / seen[i]!);
}

/** Dimensions for a number of source models: at least five models each. */
export function dimsFor(dims: number, models: number): number {
  return Math.max(1, Math.min(dims, Math.floor(models / 5)));
}

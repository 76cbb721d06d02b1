import { logit, predictedScores, type ItemBank, type MonotoneMap, type RandomSource } from "anchoreval/core";
import { curveFeatures } from "../anchors/curve-features.ts";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { answeringModels } from "../fit/answering-models.ts";
import { DEFAULT_CONFIGURATION, DEFAULT_DIMS, dimsFor } from "../fit/configuration.ts";
import { interruptible } from "../backends/interruptible.ts";
import { fitBank, type Bank } from "../calibrate/bank.ts";
import { submatrix, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { comparedTexts } from "./compared-texts.ts";
import type { AnsweredItems, PoolDifficulty } from "./difficulty.ts";
import type { ItemPool } from "./item-pool.ts";
import { joinItems, type JoinKeys } from "./join-items.ts";

/** What the answers were given to. */
export interface AnsweredDifficultyOptions {
  /** The answers were given to these very items, in this wording; false: to others. @default what the texts show */
  readonly sameItems?: boolean;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  readonly signal?: AbortSignal;
  /** Share done, of 1. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Difficulties of a pool's items from models' answers, by the project's own calibration (penalised, which draws the
 * discriminations of few models together): an item's is the logit of the share of the models' answers to it that the 2PL
 * in one dimension expects to be wrong, were all of them asked. Other than b/a it is a number for items that don't
 * discriminate, too; other than a share of right answers it doesn't depend on which models were asked.
 * @param keys - of {@link joinKeys}
 * @throws AnchorEvalError `invalid_data` where nothing can be joined, or fewer than five models answered; `aborted`
 */
export async function answeredDifficulty(
  pool: ItemPool,
  keys: JoinKeys,
  matrix: ResponseMatrix,
  options: AnsweredDifficultyOptions,
): Promise<PoolDifficulty> {
  const { items, columns } = joinItems(
    pool,
    keys,
    matrix.items.map((item) => item.item_id),
  );
  const answers = submatrix(matrix, [...matrix.subjects.keys()], columns);
  const answered = await calibrateItems(items, answers, options);
  const values = new Float64Array(pool.rows.length).fill(NaN);
  const difficulties = expectedDifficulty(answered.bank, answered.abilities.values);
  items.forEach((item, k) => (values[item] = difficulties[k]!));
  const sameTexts = comparedTexts(pool, items, answers.items);
  const same = options.sameItems ?? (sameTexts === null ? undefined : sameTexts.other === 0);
  return {
    source: {
      kind: "responses",
      models: answered.models,
      unused: matrix.items.length - items.length,
      join: keys.column,
      borrowed: same === undefined ? "unknown" : same ? "no" : "yes",
      sameTexts,
    },
    values,
    answered,
  };
}

/** Calibrates answers twice: in one dimension, and in as many as the models allow for what tells more of them apart. */
async function calibrateItems(
  items: Uint32Array,
  matrix: ResponseMatrix,
  { random, signal, onProgress, ...options }: AnsweredDifficultyOptions,
): Promise<AnsweredItems> {
  const backend = interruptible(options.backend);
  const count = matrix.items.length;
  const slice = {
    begin: 0,
    count,
    subscenarios: [{ id: null, items: count }],
    weights: new Float64Array(count).fill(1 / count),
  };
  const task = { id: "the items", matrix, scenarios: [{ id: "the items", ...slice }] };
  const rows = answeringModels(task);
  const { irtModel, estimation } = DEFAULT_CONFIGURATION;
  const most = dimsFor(DEFAULT_DIMS, rows.length);
  const train = (dims: number, begun: number): Promise<Bank> =>
    fitBank(task, rows, {
      ...{ irtModel, estimation, link: "binarize", shrinkage: DISCRIMINATION_SHRINKAGE, dims, backend },
      random: random.fork(`calibration ${dims}`),
      ...(signal && { signal }),
      onStep: ({ share }) => onProgress?.((begun + share) / 2),
    });
  const one = await train(1, 0);
  const several = most === 1 ? one : await train(most, 1);
  const [{ bank, scoreMap, threshold }] = one.scenarios as [Bank["scenarios"][0]];
  const [wide] = several.scenarios as [Bank["scenarios"][0]];
  return {
    items,
    bank,
    scoreMap,
    threshold,
    abilities: {
      values: one.calibration.theta,
      mean: one.abilities.mean[0]!,
      sd: Math.sqrt(one.abilities.covariance[0]!),
    },
    curves: {
      ...curveFeatures(wide.bank, several.calibration.theta, 1),
      expected: expectedScores(wide.bank, several.calibration.theta, wide.scoreMap),
    },
    dims: several.dims,
    models: rows.length,
    converged: one.calibration.converged && several.calibration.converged,
  };
}

/** Mean predicted score of every item over the models. */
function expectedScores(bank: ItemBank, theta: Float64Array, scoreMap: MonotoneMap | null): Float64Array {
  const models = theta.length / bank.dims;
  const sums = new Float64Array(bank.count);
  for (let m = 0; m < models; m++) {
    const predicted = predictedScores(theta.subarray(m * bank.dims, (m + 1) * bank.dims), bank, scoreMap);
    for (let i = 0; i < sums.length; i++) sums[i]! += predicted[i]! / models;
  }
  return sums;
}

/** Logit of the expected share of wrong answers of every item over the models. */
function expectedDifficulty(bank: ItemBank, theta: Float64Array): Float64Array {
  return expectedScores(bank, theta, null).map((right) => -logit(right));
}

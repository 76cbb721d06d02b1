import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { logit, type MonotoneMap } from "anchoreval/internal/core/numeric/functions";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { DataIssues, quoted } from "anchoreval/internal/tables/data-issues";
import { decimalNumber, isMissingWord } from "anchoreval/internal/tables/score-reader";
import { curveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";
import type { CalibrateOptions } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { DISCRIMINATION_SHRINKAGE } from "../../../offline-trainer/src/calibrate/scales.ts";
import { calibratedModels } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { DEFAULT_SETTINGS, DEFAULT_DIMS } from "../../../offline-trainer/src/methods/settings.ts";
import { type CalibratedScenario, dimsFor, fitBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import { interruptible } from "../../../offline-trainer/src/backends/interruptible.ts";
import { columnOf } from "../../../offline-trainer/src/matrix/item-table.ts";
import { type ItemInfo, type ResponseMatrix, submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { type ItemPool, joinItems, type JoinKeys } from "./item-pool.ts";

/** Response curves of the items, from models' answers. */
export type AnsweredItems = Awaited<ReturnType<typeof calibrateItems>>;

/** Source of difficulties, as the summary describes it. */
type DifficultySource =
  | { readonly kind: "none" }
  | { readonly kind: "column"; readonly column: string }
  | {
      readonly kind: "responses";
      readonly models: number;
      /** Items of the responses that no item of the pool is joined to. */
      readonly unused: number;
      /** Column of the items that holds the responses' ids. */
      readonly join: string;
      /** Whether the answers are to other texts than the pool's: stated, or observed. */
      readonly borrowed: "yes" | "no" | "unknown";
      /** Joined items whose texts are the same, and others; null where none could be compared. */
      readonly sameTexts: { readonly same: number; readonly other: number } | null;
    };

/** Difficulties of a pool's items, as far as they are known. */
export interface PoolDifficulty {
  readonly source: DifficultySource;
  /** By item, NaN where it isn't known. Null where none is: then forms are divided by subject only. */
  readonly values: Float64Array | null;
  /** The curves behind them, where models' answers are. */
  readonly answered: AnsweredItems | null;
}

/** No item's difficulty is known. */
export const NO_DIFFICULTY: PoolDifficulty = { source: { kind: "none" }, values: null, answered: null };

/**
 * Difficulties from a column of the items, on whatever scale; an empty cell is an item of unknown difficulty.
 * @throws AnchorEvalError `invalid_data` for a cell that is no number, or where no item has one
 */
export function givenDifficulty(pool: ItemPool, column: string): PoolDifficulty {
  const { table, rows } = pool;
  const issues = new DataIssues(table.name);
  const at = columnOf(table, column, "`difficulty`");
  const values = Float64Array.from(rows, (row) => {
    const text = table.rows[row]![at]!.trim();
    if (text === "" || isMissingWord(text)) return NaN;
    const value = decimalNumber(text);
    const fault = `a difficulty must be a number, got ${quoted(text)}; an empty cell means that it isn't known`;
    if (Number.isNaN(value)) issues.add({ row: table.lines[row]!, column }, "not_a_number", fault);
    return value;
  });
  issues.refuse();
  if (values.every(Number.isNaN)) issues.fail({ column }, "empty", "no item has a difficulty");
  return { source: { kind: "column", column }, values, answered: null };
}

/** Settings of difficulties from answers. */
export interface AnsweredDifficultyOptions extends Pick<CalibrateOptions, "backend" | "random" | "signal"> {
  /** The answers were given to these very items, in this wording; false: to others. @default according to the texts */
  readonly sameItems?: boolean;
  /** Share done, of 1. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Difficulties of a pool's items from models' answers, by the project's own calibration (penalised, which shrinks the
 * discriminations of few models): an item's is the logit of its expected share of wrong answers over
 * all models, by the 2PL in one dimension. Unlike b/a it is finite for items that don't discriminate; unlike a share of
 * right answers it doesn't depend on which models were asked.
 * @param keys - of {@link joinKeys}
 * @throws AnchorEvalError `invalid_data` where nothing can be joined, or fewer than five models answered; `aborted`
 */
export async function answeredDifficulty(
  pool: ItemPool,
  keys: JoinKeys,
  matrix: ResponseMatrix,
  options: AnsweredDifficultyOptions,
): Promise<PoolDifficulty> {
  const { items, columns } = joinItems(pool, keys, matrix.items);
  const answers = submatrix(matrix, [...matrix.subjects.keys()], columns);
  const answered = await calibrateItems(items, answers, options);
  const values = new Float64Array(pool.rows.length).fill(NaN);
  const right = expectedScores(answered.bank, answered.abilities.values, null);
  items.forEach((item, k) => (values[item] = -logit(right[k]!)));
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

/** Calibrates answers twice: in one dimension, and in as many as the models allow, which distinguishes them better. */
async function calibrateItems(
  items: Uint32Array,
  matrix: ResponseMatrix,
  { backend, random, signal, onProgress }: AnsweredDifficultyOptions,
) {
  const count = matrix.items.length;
  const id = "the items";
  const weights = new Float64Array(count).fill(1 / count);
  const scenario = { id, begin: 0, count, subscenarios: [{ id: null, items: count }], weights, matrix };
  const rows = calibratedModels(scenario);
  const { irtModel, estimation } = DEFAULT_SETTINGS;
  const most = dimsFor(DEFAULT_DIMS, rows.length);
  const train = (dims: number, begun: number): Promise<CalibratedScenario> =>
    fitBank(scenario, rows, {
      ...{ irtModel, estimation, shrinkage: DISCRIMINATION_SHRINKAGE, dims },
      backend: interruptible(backend),
      random: random.fork(`calibration ${dims}`),
      ...(signal && { signal }),
      onStep: ({ share }) => onProgress?.((begun + share) / 2),
    });
  const one = await train(1, 0);
  const several = most === 1 ? one : await train(most, 1);
  const { bank, scoreMap, threshold } = one;
  return {
    /** The items that have curves, ascending, in the order of the banks. */
    items,
    /** A 2PL in one dimension: what information and equating are computed with. */
    bank,
    /** From probability back to score, where scores were binarised. */
    scoreMap,
    /** Scores above it were taken as right; null where all are 0 or 1. */
    threshold,
    /** On the scale of the one-dimensional bank. */
    abilities: {
      values: one.calibration.theta,
      mean: one.abilities.mean[0]!,
      sd: Math.sqrt(one.abilities.covariance[0]!),
    },
    /** Leading components of the curves in as many dimensions as the models allow, and the items' expected scores. */
    curves: {
      ...curveFeatures(several.bank, several.calibration.theta, 1),
      expected: expectedScores(several.bank, several.calibration.theta, several.scoreMap),
    },
    dims: several.bank.dims,
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

/**
 * Compares the texts of joined items with those of the responses' items: an item's is the same where one of its cells is that
 * text, ignoring white space (NFC).
 * @param items - the joined items @param answered - the responses' items, in the same order
 * @returns null where no text of the responses' items is known
 */
function comparedTexts(pool: ItemPool, items: ArrayLike<number>, answered: readonly ItemInfo[]) {
  const matches = answered.flatMap(({ text }, k) => {
    if (text === undefined) return [];
    const wanted = normalized(text);
    return [pool.table.rows[pool.rows[items[k]!]!]!.some((cell) => normalized(cell) === wanted)];
  });
  const same = matches.filter(Boolean).length;
  return matches.length === 0 ? null : { same, other: matches.length - same };
}

function normalized(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, " ").trim();
}

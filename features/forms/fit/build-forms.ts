import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { type PoolDifficulty, answeredDifficulty, type AnsweredDifficultyOptions } from "./difficulty.ts";
import { checkFormSizes, type ItemPool, joinItems, type JoinKeys } from "./item-pool.ts";
import { formQuotas, type Quotas, type Stratum } from "./quotas.ts";
import { matchingFeatures, refineForms } from "./refine-forms.ts";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { dimsFor } from "../../../offline-trainer/src/calibrate/bank.ts";
import { type CalibrationWork, calibrationWork } from "../../../offline-trainer/src/calibrate/calibration-work.ts";
import { rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { DEFAULT_DIMS } from "../../../offline-trainer/src/methods/settings.ts";
import { numbers, mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";
import { type ResponseMatrix, scoreAt, submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { folds, type Split, TARGET_OBSERVED } from "../../../offline-trainer/src/matrix/splits.ts";
import { familyGroups, LEAST_FAMILIES, modelFamilies } from "../../../offline-trainer/src/matrix/families.ts";

/** Settings of parallel forms. */
export interface ParallelFormsOptions {
  /** Items of a form. */
  readonly size: number;
  /** Forms. */
  readonly count: number;
  /** Buckets of difficulty at most. */
  readonly buckets: number;
  readonly random: RandomSource;
}

/** Disjoint, similar forms of a pool, and how they were built. */
export type ParallelForms = ReturnType<typeof buildParallelForms>;

/**
 * Builds disjoint forms of similar subjects and difficulty: quotas by subject and bucket of difficulty in proportion to the
 * pool, a random draw, and swaps that bring the forms' mean features closer to each other and to the pool's.
 * @throws AnchorEvalError `invalid_option` for more items than the pool has
 * @example
 * const pool = itemPool(await readItemTable("mmlu_zh.csv"), { by: "Subject" });
 * const { forms } = buildParallelForms(pool, givenDifficulty(pool, "difficulty"), { size: 300, count: 2, buckets: 5, random: createRandom(1) });
 */
export function buildParallelForms(
  pool: ItemPool,
  difficulty: PoolDifficulty,
  { size, count, buckets: most, random }: ParallelFormsOptions,
) {
  checkFormSizes(pool, size, count);
  const values = difficulty.values ?? new Float64Array(pool.rows.length).fill(NaN);
  const { bucketOf, buckets } = difficultyBuckets(values, most);
  const { strata, members, stratumOf } = stratify(pool.subjectOf, bucketOf, buckets.length);
  const quotas = formQuotas(strata, size, count);
  const formOf = deal(members, quotas, pool.rows.length, random.fork("deal"));
  const features = matchingFeatures(difficulty, stratumOf);
  /** Null where no difficulty is known: items are drawn at random within their subject. */
  const refinement = features && refineForms(formOf, members, { forms: count, size }, features, random.fork("swaps"));
  /** Each form's items, as indices into the pool, ascending. */
  const forms = Array.from({ length: count }, (_, form) => ({
    items: Uint32Array.from(formOf.keys()).filter((item) => formOf[item] === form),
  }));
  return { forms, pool, difficulty, buckets, strata, stratumOf, quotas, refinement };
}

/** The strata that have items, by subject and then by bucket, with their items. */
function stratify(subjectOf: Int32Array, bucketOf: Int32Array, buckets: number) {
  const cells: number[][] = [];
  subjectOf.forEach((subject, item) => (cells[subject * buckets + bucketOf[item]!] ??= []).push(item));
  const strata: Stratum[] = [];
  const stratumOf = new Int32Array(subjectOf.length);
  // Cells without items are holes, which aren't visited.
  cells.forEach((items, cell) => {
    for (const item of items) stratumOf[item] = strata.length;
    strata.push({ subject: Math.floor(cell / buckets), bucket: cell % buckets, count: items.length });
  });
  return { strata, members: Object.values(cells), stratumOf };
}

/** A random draw by quotas. @returns form of every item, −1 for none */
function deal(
  members: readonly (readonly number[])[],
  quotas: Quotas,
  items: number,
  random: RandomSource,
): Int32Array {
  const formOf = new Int32Array(items).fill(-1);
  members.forEach((items, stratum) => {
    const shuffled = random.shuffle([...items]);
    let at = 0;
    quotas.forms.forEach((quota, form) => {
      for (let k = 0; k < quota[stratum]!; k++) formOf[shuffled[at++]!] = form;
    });
  });
  return formOf;
}

/** A range of difficulties with its items; or the items whose difficulty isn't known. */
type DifficultyBucket =
  | { readonly unknown: false; readonly from: number; readonly to: number; readonly items: number }
  | { readonly unknown: true; readonly items: number };

/**
 * Buckets by rank, as close to equal size as ties allow: items of equal difficulty share the bucket of the middle of their
 * ranks. Buckets that ties leave empty are dropped. Items of unknown difficulty are a bucket of their own.
 * @param values - a difficulty an item, NaN where it isn't known @param count - buckets at most
 * @returns bucket of every item, and the buckets from the lowest values up, that of unknown ones last
 */
export function difficultyBuckets(
  values: Float64Array,
  count: number,
): { bucketOf: Int32Array; buckets: DifficultyBucket[] } {
  const order = Uint32Array.from(values.keys()).filter((item) => !Number.isNaN(values[item]!));
  order.sort((left, right) => values[left]! - values[right]! || left - right);
  const bucketOf = new Int32Array(values.length);
  const buckets: { unknown: false; from: number; to: number; items: number }[] = [];
  let last = -1;
  for (let begin = 0, end = 0; begin < order.length; begin = end) {
    const value = values[order[begin]!]!;
    while (end < order.length && values[order[end]!] === value) end++;
    const place = Math.floor((count * ((begin + end) / 2)) / order.length);
    if (place !== last) buckets.push({ unknown: false, from: value, to: value, items: 0 });
    last = place;
    const bucket = buckets.at(-1)!;
    bucket.to = value;
    bucket.items += end - begin;
    for (let k = begin; k < end; k++) bucketOf[order[k]!] = buckets.length - 1;
  }
  const unknown = values.length - order.length;
  if (unknown === 0) return { bucketOf, buckets };
  values.forEach((value, item) => {
    if (Number.isNaN(value)) bucketOf[item] = buckets.length;
  });
  return { bucketOf, buckets: [...buckets, { unknown: true, items: unknown }] };
}

/** Forms drawn without each part of the families, and random forms for comparison. */
const DRAWS = 5;
const RANDOM_DRAWS = 40;

/** Differences between held-out models' scores on two forms, or why they aren't known. */
export type FormsCheck = Awaited<ReturnType<typeof checkForms>>;

interface FormsCheckOptions extends Omit<ParallelFormsOptions, "random">, Omit<AnsweredDifficultyOptions, "sameItems"> {
  /** Family by model; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
}

/**
 * Holds parts of the families out in turn, repeats calibration and choice without them, and compares their models' scores
 * on the forms: |score on one − score on another|, means over pairs of forms and draws, over the items with answers. For
 * comparison, the same for forms drawn at random from the whole pool. Takes two calibrations a part.
 * @param matrix - the responses, before they are joined
 */
export async function checkForms(
  pool: ItemPool,
  keys: JoinKeys,
  matrix: ResponseMatrix,
  { size, count, buckets, families, random, onProgress, ...options }: FormsCheckOptions,
) {
  const { items, columns } = joinItems(pool, keys, matrix.items);
  const held = heldOutModels(matrix, columns, families, random.fork("parts"));
  const none = (reason: string) => ({ kind: "none" as const, reason });
  if ("reason" in held) return none(held.reason);
  const columnOf = new Int32Array(pool.rows.length).fill(-1);
  items.forEach((item, k) => (columnOf[item] = columns[k]!));
  const builtGaps: number[] = [];
  const atRandom: number[] = [];
  for (const [part, { sources, targets }] of held.splits.entries()) {
    const stream = random.fork(`part ${part}`);
    const answers = submatrix(matrix, sources, [...matrix.items.keys()]);
    const difficulty = await answeredDifficulty(pool, keys, answers, {
      ...options,
      random: stream.fork("difficulty"),
      onProgress: (done) => onProgress?.((part + done) / held.splits.length),
    });
    /** Every target's gap on average over forms that are drawn as often as asked. */
    const gaps = (name: string, draws: number, draw: (seed: RandomSource) => Uint32Array[]): number[] => {
      const drawn = Array.from({ length: draws }, (_, k) => draw(stream.fork(`${name} ${k}`)));
      return targets.map((model) => mean(drawn.map((forms) => scoreGap(matrix, model, forms, columnOf))));
    };
    const built = (seed: RandomSource): Uint32Array[] =>
      buildParallelForms(pool, difficulty, { size, count, buckets, random: seed }).forms.map((form) => form.items);
    builtGaps.push(...gaps("forms", DRAWS, built));
    atRandom.push(...gaps("random", RANDOM_DRAWS, (seed) => randomForms(pool.rows.length, size, count, seed)));
  }
  const ratio = mean(builtGaps) / mean(atRandom);
  const squares = total(builtGaps.map((gap, m) => (gap - ratio * atRandom[m]!) ** 2));
  if (!Number.isFinite(mean(builtGaps) + mean(atRandom))) return none("some forms have no item with answers");
  if (mean(atRandom) === 0) return none("no model's scores on two random forms differ");
  return {
    kind: "folds" as const,
    folds: held.splits.length,
    /** Models that were held out, each once, and their families. */
    models: held.models,
    families: held.families,
    /** Forms that were drawn without each part of the families, and random ones. */
    draws: DRAWS,
    randomDraws: RANDOM_DRAWS,
    /** Mean absolute difference of one model's scores on two forms, on two random ones of the same size, and their ratio. */
    forms: overModels(builtGaps),
    random: overModels(atRandom),
    ratio: { mean: rounded(ratio), standardError: rounded(Math.sqrt(squares) / total(atRandom)) },
  };
}

/** Mean over pairs of forms of a model's absolute score difference; missing answers are left out on either side. */
function scoreGap(matrix: ResponseMatrix, model: number, forms: readonly Uint32Array[], columnOf: Int32Array): number {
  const scores = forms.map((form) => {
    const scored = Array.from(form, (item) => columnOf[item]!).filter((column) => column >= 0);
    return mean(numbers(scored.map((column) => scoreAt(matrix, model, column))));
  });
  return mean(scores.flatMap((one, k) => scores.slice(k + 1).map((other) => Math.abs(one - other))));
}

function randomForms(items: number, size: number, count: number, random: RandomSource): Uint32Array[] {
  const order = random.shuffle(Array.from({ length: items }, (_, item) => item));
  return Array.from({ length: count }, (_, k) => Uint32Array.from(order.slice(k * size, (k + 1) * size)));
}

/** The calibrations of difficulties from answers, two, and of their check, two for each part of the families. */
export function formsWork(
  pool: ItemPool,
  keys: JoinKeys,
  { subjects, items }: ResponseMatrix,
  isChecked: boolean,
): CalibrationWork {
  const columns = Array.from(joinItems(pool, keys, items).columns, (column) => items[column]!);
  const dims = dimsFor(DEFAULT_DIMS, subjects.length);
  const calibrations = 2 * (1 + (isChecked ? CHECK_FOLDS : 0));
  return calibrationWork({ subjects, items: columns }, { dims, calibrations, scenarios: 1 });
}

/** Mean over models, in fractions, and its standard error with models as units. */
function overModels(values: readonly number[]): { mean: number; standardError: number } {
  const centre = mean(values);
  const squares = total(values.map((value) => (value - centre) ** 2));
  return { mean: rounded(centre), standardError: rounded(Math.sqrt(squares / (values.length - 1) / values.length)) };
}

/** Parts of the families that are held out in turn. */
const CHECK_FOLDS = 4;

/**
 * Models held out in parts of whole families, replicates together. Only those that answered at least 98 % of the items are
 * checked; all others are only learned from.
 * @param columns - of the matrix: the items considered
 * @param table - family by model; where it has none, the name tells
 * @returns the models that forms are checked on, or why there are none
 */
export function heldOutModels(
  matrix: ResponseMatrix,
  columns: Uint32Array,
  table: ReadonlyMap<string, string> | undefined,
  random: RandomSource,
): { splits: Split[]; models: number; families: number } | { reason: string } {
  try {
    familyGroups(matrix.subjects, table);
  } catch (error) {
    if (error instanceof AnchorEvalError) return { reason: error.message };
    throw error;
  }
  const groups = modelFamilies(matrix, table);
  const eligible = matrix.subjects.map((_, m) => {
    const missing = columns.reduce((sum, column) => sum + Number(Number.isNaN(scoreAt(matrix, m, column))), 0);
    return missing <= (1 - TARGET_OBSERVED) * columns.length;
  });
  const models = eligible.filter(Boolean).length;
  const families = new Set(groups.filter((_, m) => eligible[m])).size;
  if (families < LEAST_FAMILIES)
    return {
      reason: `${models} models of ${families} ${families === 1 ? "family" : "families"} have answered ${100 * TARGET_OBSERVED} % of the items, and ${LEAST_FAMILIES} families are needed`,
    };
  return { splits: folds({ groups, eligible }, CHECK_FOLDS, random), models, families };
}

import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { PoolDifficulty } from "./difficulty.ts";
import { checkFormSizes, type ItemPool } from "./item-pool.ts";
import { formQuotas, type Quotas, type Stratum } from "./quotas.ts";
import { matchingFeatures, refineForms } from "./refine-forms.ts";

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

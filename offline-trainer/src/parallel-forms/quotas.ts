import { apportion } from "../simulate/apportion.ts";
import { roundTable, type TableCell } from "./round-table.ts";

/** A stratum of the pool: items of one subject in one bucket of difficulty. */
export interface Stratum {
  readonly subject: number;
  readonly bucket: number;
  /** Items of the pool in it. */
  readonly count: number;
}

/** Items that each form takes of each stratum. */
export interface Quotas {
  /** A list a form, in the order of the strata. */
  readonly forms: readonly Int32Array[];
  /** Every form takes the same. */
  readonly identical: boolean;
  /** Σ|share of a form − share of the pool| that no form of this size can be below, each margin by itself. */
  readonly least: { readonly subjects: number; readonly buckets: number };
}

/** A mismatch to the pool up to which forms of identical quotas are taken, however much nearer others come. */
const NEAR = 0.02;
/** What a number may lack of another by rounding. */
const ROUNDING = 1e-9;

/**
 * Quotas of forms by {@link roundTable}: in proportion to the pool, subjects and buckets both as near to it as whole
 * numbers can be. Forms have the same quotas; where strata have too few items for that, they have the same numbers by
 * subject and by bucket, and where that can't be either, numbers that differ by one.
 * @param size - items of a form @param forms - how many; their items together are at most the pool's
 */
export function formQuotas(strata: readonly Stratum[], size: number, forms: number): Quotas {
  const least = {
    subjects: leastDistance(marginCounts(strata, "subject"), size),
    buckets: leastDistance(marginCounts(strata, "bucket"), size),
  };
  const near = (quota: Int32Array): boolean =>
    marginDistance(strata, quota, "subject") <= Math.max(least.subjects, NEAR) + ROUNDING &&
    marginDistance(strata, quota, "bucket") <= Math.max(least.buckets, NEAR) + ROUNDING;
  const same = oneForm(strata, size, ({ count }) => Math.floor(count / forms));
  if (same !== null && near(same)) return { forms: new Array<Int32Array>(forms).fill(same), identical: true, least };
  return { forms: dealtQuotas(strata, size, forms), identical: false, least };
}

/** A form in proportion to the pool; null where the capacities can't hold it. */
function oneForm(strata: readonly Stratum[], size: number, capacity: (stratum: Stratum) => number): Int32Array | null {
  const items = strata.reduce((sum, { count }) => sum + count, 0);
  const cells = strata.map((stratum): TableCell => {
    const target = (size * stratum.count) / items;
    return { ...place(stratum), target, least: Math.floor(target + ROUNDING), capacity: capacity(stratum) };
  });
  return roundTable(cells, size);
}

/**
 * What all forms take together, by subject and by bucket as many times one form's numbers as there are forms, as far as
 * there are so many items; then dealt out form by form, as evenly as whole numbers can. Whole numbers just below and above
 * a table's cells always include some whose margins are as near to the table's (Cox 1987), so that this never fails.
 */
function dealtQuotas(strata: readonly Stratum[], size: number, forms: number): Int32Array[] {
  const items = strata.reduce((sum, { count }) => sum + count, 0);
  const one = oneForm(strata, size, ({ count }) => count)!;
  const wanted = (axis: "subject" | "bucket"): number[] =>
    marginCounts(strata, axis, one).map((count) => forms * count);
  const together = strata.map((stratum): TableCell => {
    const target = (forms * size * stratum.count) / items;
    // Up to an item a form less, so that a subject or bucket that was rounded down finds room.
    const least = Math.max(0, Math.floor(target) - forms);
    return { ...place(stratum), target, least, capacity: stratum.count };
  });
  const left = roundTable(together, forms * size, { rows: wanted("subject"), columns: wanted("bucket") })!;
  return Array.from({ length: forms }, (_, k) => {
    const cells = strata.map((stratum, s): TableCell => {
      const target = left[s]! / (forms - k);
      return { ...place(stratum), target, least: Math.floor(target), capacity: Math.ceil(target) };
    });
    const quota = roundTable(cells, size)!;
    quota.forEach((count, s) => (left[s]! -= count));
    return quota;
  });
}

/** Σ|share of the drawn − share of the pool| over subjects or buckets. */
export function marginDistance(
  strata: readonly Stratum[],
  drawn: ArrayLike<number>,
  axis: "subject" | "bucket",
): number {
  return shareDistance(marginCounts(strata, axis, drawn), marginCounts(strata, axis));
}

/**
 * Items by subject or by bucket.
 * @param counts - of every stratum. @default the pool's
 */
export function marginCounts(
  strata: readonly Stratum[],
  axis: "subject" | "bucket",
  counts?: ArrayLike<number>,
): number[] {
  const margins: number[] = [];
  strata.forEach((stratum, s) => {
    margins[stratum[axis]] = (margins[stratum[axis]] ?? 0) + (counts ? counts[s]! : stratum.count);
  });
  return Array.from(margins, (count: number | undefined) => count ?? 0);
}

/** Σ|p − q| of two distributions given by counts (L1, from 0 to 2). */
export function shareDistance(one: readonly number[], other: readonly number[]): number {
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  const [left, right] = [sum(one), sum(other)];
  return one.reduce((all, count, k) => all + Math.abs(count / left - other[k]! / right), 0);
}

/** The least distance from the pool's shares that `size` items can have: that of rounding by largest remainders. */
function leastDistance(counts: readonly number[], size: number): number {
  return shareDistance(apportion(size, counts, 0), counts);
}

function place({ subject, bucket }: Stratum): Pick<TableCell, "row" | "column"> {
  return { row: subject, column: bucket };
}

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
 * numbers can be. Forms have the same quotas; where strata have too few items for that, the same numbers by subject and
 * by bucket; where even that takes forms away from the pool, what all forms take together is rounded, and dealt out as
 * evenly as whole numbers can.
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
  const same = share(strata, size, ({ count }) => Math.floor(count / forms));
  if (same !== null && near(same)) return { forms: new Array<Int32Array>(forms).fill(same), identical: true, least };
  const alike = alikeQuotas(strata, size, forms);
  return { forms: alike?.every(near) === true ? alike : dealtQuotas(strata, size, forms), identical: false, least };
}

/** A total in proportion to the pool; null where the capacities can't hold it. */
function share(strata: readonly Stratum[], total: number, capacity: (stratum: Stratum) => number): Int32Array | null {
  const items = strata.reduce((sum, { count }) => sum + count, 0);
  const cells = strata.map((stratum): TableCell => {
    const target = (total * stratum.count) / items;
    return { ...place(stratum), target, least: Math.floor(target + ROUNDING), capacity: capacity(stratum) };
  });
  return roundTable(cells, total);
}

/** Forms after the first take what it takes as far as strata have it, and keep to its numbers by subject and by bucket. */
function alikeQuotas(strata: readonly Stratum[], size: number, forms: number): Int32Array[] | null {
  const first = share(strata, size, ({ count }) => count)!;
  const left = strata.map(({ count }, s) => count - first[s]!);
  const quotas = [first];
  while (quotas.length < forms) {
    const cells = strata.map((stratum, s): TableCell => {
      const target = first[s]!;
      // One below, so that others of its subject and bucket can give way to a stratum that lacks items.
      return { ...place(stratum), target, least: Math.max(0, Math.min(target - 1, left[s]!)), capacity: left[s]! };
    });
    const quota = roundTable(cells, size);
    if (quota === null) return null;
    quota.forEach((count, s) => (left[s]! -= count));
    quotas.push(quota);
  }
  return quotas;
}

/** What all forms take together, dealt out form by form. */
function dealtQuotas(strata: readonly Stratum[], size: number, forms: number): Int32Array[] {
  const left = share(strata, forms * size, ({ count }) => count)!;
  return Array.from({ length: forms }, (_, k) => {
    // Whole numbers just below and above a table's cells always include some with such margins (Cox 1987).
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
  return shareDistance(
    marginCounts(
      strata.map((stratum, s) => ({ ...stratum, count: drawn[s]! })),
      axis,
    ),
    marginCounts(strata, axis),
  );
}

/** Items by subject or by bucket. */
export function marginCounts(strata: readonly Stratum[], axis: "subject" | "bucket"): number[] {
  const counts: number[] = [];
  for (const stratum of strata) counts[stratum[axis]] = (counts[stratum[axis]] ?? 0) + stratum.count;
  return Array.from(counts, (count: number | undefined) => count ?? 0);
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

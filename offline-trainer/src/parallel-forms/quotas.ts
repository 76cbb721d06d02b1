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
const ROUNDING = 1e-9;

/**
 * Quotas of forms by {@link roundTable}: in proportion to the pool, subjects and buckets both as near to it as whole
 * numbers can be. All forms have the same quotas, unless strata have too few items for that; then what all forms take
 * together is rounded first and dealt out after, form by form, each time as evenly as whole numbers can.
 * @param size - items of a form @param forms - how many; their items together are at most the pool's
 */
export function formQuotas(strata: readonly Stratum[], size: number, forms: number): Quotas {
  const items = strata.reduce((sum, { count }) => sum + count, 0);
  const least = {
    subjects: leastDistance(marginCounts(strata, "subject"), size),
    buckets: leastDistance(marginCounts(strata, "bucket"), size),
  };
  const share = (total: number, capacity: (count: number) => number): Int32Array | null =>
    roundTable(
      strata.map((stratum) => tableCell(stratum, (total * stratum.count) / items, capacity(stratum.count))),
      total,
    );
  const one = share(size, (count) => Math.floor(count / forms));
  const near = (own: number, bound: number): boolean => own <= Math.max(bound, NEAR) + ROUNDING;
  if (
    one !== null &&
    near(marginDistance(strata, one, "subject"), least.subjects) &&
    near(marginDistance(strata, one, "bucket"), least.buckets)
  )
    return { forms: Array.from({ length: forms }, () => one), identical: true, least };

  const left = share(forms * size, (count) => count)!;
  const own = Array.from({ length: forms }, (_, k) => {
    // A table's whole numbers just below and above its cells always have some with such margins (Cox 1987).
    const quota = roundTable(
      strata.map((stratum, s) => tableCell(stratum, left[s]! / (forms - k), Math.ceil(left[s]! / (forms - k)))),
      size,
    )!;
    quota.forEach((count, s) => (left[s]! -= count));
    return quota;
  });
  return { forms: own, identical: false, least };
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

function tableCell({ subject, bucket }: Stratum, target: number, capacity: number): TableCell {
  return { row: subject, column: bucket, target, capacity };
}

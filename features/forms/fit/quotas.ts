import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { apportion, total } from "../../../offline-trainer/src/numeric/statistics.ts";

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

/** Distance to the pool up to which forms of identical quotas are preferred, even if others come closer. */
const NEAR = 0.02;
/** Tolerance of comparisons for rounding. */
const ROUNDING = 1e-9;

/**
 * Quotas in proportion to the pool by {@link roundTable}, subjects and buckets both as close to it as whole numbers can be:
 * the same for all forms; where strata have too few items for that, the same by subject and by bucket; where that is
 * impossible too, numbers that differ by one.
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
  const items = total(strata.map(({ count }) => count));
  const cells = strata.map((stratum): TableCell => {
    const target = (size * stratum.count) / items;
    return { ...place(stratum), target, least: Math.floor(target + ROUNDING), capacity: capacity(stratum) };
  });
  return roundTable(cells, size);
}

/**
 * First the quotas of all forms together, by subject and by bucket `forms` times one form's numbers, as far as there are so
 * many items; then dealt out form by form, as evenly as whole numbers can. Whole numbers just below and above a table's
 * cells always include some whose margins are as near to the table's (Cox 1987), so that this never fails.
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

/** Items by subject or by bucket. @param counts - of every stratum; by default the pool's */
export function marginCounts(
  strata: readonly Stratum[],
  axis: "subject" | "bucket",
  counts?: ArrayLike<number>,
): number[] {
  const size = strata.reduce((most, stratum) => Math.max(most, stratum[axis] + 1), 0);
  const sums = new Array<number>(size).fill(0);
  strata.forEach((stratum, s) => (sums[stratum[axis]]! += counts?.[s] ?? stratum.count));
  return sums;
}

/** Σ|p − q| of two distributions given by counts (L1, from 0 to 2). */
export function shareDistance(one: readonly number[], other: readonly number[]): number {
  const [left, right] = [total(one), total(other)];
  return total(one.map((count, k) => Math.abs(count / left - other[k]! / right)));
}

/** The least distance from the pool's shares that `size` items can have: that of rounding by largest remainders. */
function leastDistance(counts: readonly number[], size: number): number {
  return shareDistance(apportion(size, counts, 0), counts);
}

function place({ subject, bucket }: Stratum): Pick<TableCell, "row" | "column"> {
  return { row: subject, column: bucket };
}

/** A cell of a table to be rounded to a whole number from `least` to `capacity`; cells that aren't there are 0. */
export interface TableCell {
  readonly row: number;
  readonly column: number;
  /** ≥ `least` ≥ 0. */
  readonly target: number;
  readonly least: number;
  readonly capacity: number;
}

/**
 * Controlled rounding of a two-way table: whole numbers q between the cells' bounds, of the given sum, that minimise
 *
 *   Σ_rows (q_r· − x_r·)² + Σ_columns (q_·c − x_·c)², and, of all that do, Σ_cells (q − x)²,
 *
 * x the targets. Where the bounds don't bind and no cell is absent, each margin is the rounding by largest remainders,
 * which is also the nearest one in absolute differences, and all margins hold at once; cells are mostly rounded up or
 * down.
 *
 * The rest above the lower bounds is a flow from rows to columns with convex costs, found one unit at a time along
 * shortest paths, which is exact. Between columns a path goes by the cheapest row, so that a unit costs as much as there
 * are cells times columns.
 * @param sum - of the targets, a whole number
 * @param wanted - x of the margins, of the same sum. @default the sums of the targets
 * @returns q in the order of the cells; null where the capacities can't hold the sum
 * @see Cox (1987), Journal of the American Statistical Association 82, 520–524 (controlled rounding);
 * Ahuja, Magnanti & Orlin (1993), Network Flows, §9.7 and §14.5
 */
export function roundTable(
  cells: readonly TableCell[],
  sum: number,
  wanted?: { readonly rows: readonly number[]; readonly columns: readonly number[] },
): Int32Array | null {
  const rounded = Int32Array.from(cells, ({ least }) => least);
  const rows = margins(cells, rounded, "row", wanted?.rows);
  const columns = margins(cells, rounded, "column", wanted?.columns);
  let left = sum - total([...rounded]);
  for (; left > 0; left--) {
    const path = cheapestPath(cells, rounded, rows, columns);
    if (path === null) return null;
    for (const { cell, change } of path.steps) rounded[cell]! += change;
    rows.count[path.row]!++;
    columns.count[path.column]!++;
  }
  return rounded;
}

type Margins = ReturnType<typeof margins>;

function margins(cells: readonly TableCell[], rounded: Int32Array, axis: "row" | "column", wanted?: readonly number[]) {
  const size = cells.reduce((most, cell) => Math.max(most, cell[axis] + 1), 0);
  const places = Array.from({ length: size }, (_, at) => [...cells.keys()].filter((k) => cells[k]![axis] === at));
  return {
    target: wanted ?? places.map((group) => total(group.map((k) => cells[k]!.target))),
    count: places.map((group) => total(group.map((k) => rounded[k]!))),
    cells: places,
  };
}

/** Cost of one more unit in (count − target)². */
function unitCost(count: number, target: number): number {
  return 2 * (count - target) + 1;
}

/** {@link unitCost} in whole millionths: values equal up to rounding compare equal. */
function marginCost({ count, target }: Margins, at: number): number {
  return Math.round(1e6 * unitCost(count[at]!, target[at]!));
}

/** A path to a column: a unit into `added`, and, where it comes from another column, out of `removed`. */
interface Reach {
  /** Cost to the margins of the row by which the path enters: lower ones are cheaper, whatever the cells. */
  margin: number;
  /** Of the cells on the way. */
  cost: number;
  added: number;
  removed: number;
}

/** Cells that gain or lose one, and the row and the column that gain one by it; null where no path is left. */
function cheapestPath(cells: readonly TableCell[], rounded: Int32Array, rows: Margins, columns: Margins) {
  const width = columns.count.length;
  const into = (k: number): number => unitCost(rounded[k]!, cells[k]!.target);
  const nowhere = { margin: Infinity, cost: Infinity, added: -1, removed: -1 };
  const reaches = new Array<Reach>(width).fill(nowhere);
  const moves = new Map<number, Omit<Reach, "margin">>();
  rows.cells.forEach((inRow, row) => {
    const margin = marginCost(rows, row);
    for (const added of inRow) {
      if (rounded[added]! >= cells[added]!.capacity) continue;
      const cost = into(added);
      const column = cells[added]!.column;
      const entry = { margin, cost, added, removed: -1 };
      if (cheaper(entry, reaches[column]!)) reaches[column] = entry;
      for (const removed of inRow) {
        if (removed === added || rounded[removed]! <= cells[removed]!.least) continue;
        const key = cells[removed]!.column * width + column;
        const moved = cost - unitCost(rounded[removed]! - 1, cells[removed]!.target);
        if (moved < (moves.get(key)?.cost ?? Infinity)) moves.set(key, { cost: moved, added, removed });
      }
    }
  });
  // Bellman and Ford: costs of moves may be negative, those of their cycles never are.
  for (let round = 1; round < width; round++) {
    let better = false;
    for (const [key, { cost, added, removed }] of moves) {
      const [from, to] = [Math.floor(key / width), key % width];
      const through = { margin: reaches[from]!.margin, cost: reaches[from]!.cost + cost, added, removed };
      if (!cheaper(through, reaches[to]!)) continue;
      reaches[to] = through;
      better = true;
    }
    if (!better) break;
  }
  let column = -1;
  let least: Pick<Reach, "margin" | "cost"> = nowhere;
  reaches.forEach(({ margin, cost }, c) => {
    const whole = { margin: margin + marginCost(columns, c), cost };
    if (cheaper(whole, least)) [least, column] = [whole, c];
  });
  if (column < 0) return null;
  const steps: { cell: number; change: number }[] = [];
  for (let at = column; steps.length < 2 * width;) {
    const { added, removed } = reaches[at]!;
    steps.push({ cell: added, change: 1 });
    if (removed < 0) return { row: cells[added]!.row, column, steps };
    steps.push({ cell: removed, change: -1 });
    at = cells[removed]!.column;
  }
  throw new AnchorEvalError("numeric_failure", "targets of a table are too large to be rounded exactly");
}

function cheaper(one: Pick<Reach, "margin" | "cost">, other: Pick<Reach, "margin" | "cost">): boolean {
  return one.margin === other.margin ? one.cost < other.cost - ROUNDING : one.margin < other.margin;
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formQuotas,
  marginCounts,
  marginDistance,
  roundTable,
  shareDistance,
  type Stratum,
  type TableCell,
} from "../../../../../features/forms/fit/quotas.ts";
import { apportion } from "../../../../../offline-trainer/src/numeric/statistics.ts";

/** A pool of 57 subjects in five buckets, about 14 000 items, subjects of very unlike size. */
const LARGE: Stratum[] = Array.from({ length: 57 * 5 }, (_, k) => ({
  subject: Math.floor(k / 5),
  bucket: k % 5,
  count: 12 + ((7 * Math.floor(k / 5) ** 2 + 31 * (k % 5)) % 75),
}));

const strata = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 12 })), {
    minLength: 1,
    maxLength: 14,
  })
  .map((cells) => {
    const byPlace = new Map(
      cells.map(([subject, bucket, count]) => [`${subject} ${bucket}`, { subject, bucket, count }]),
    );
    const all = [...byPlace.values()].sort((x, y) => x.subject - y.subject || x.bucket - y.bucket);
    // Subjects and buckets are numbered without gaps, as those of a pool are.
    const places = (axis: "subject" | "bucket"): number[] => [...new Set(all.map((cell) => cell[axis]))].sort();
    const [subjects, buckets] = [places("subject"), places("bucket")];
    return all.map(({ subject, bucket, count }) => ({
      subject: subjects.indexOf(subject),
      bucket: buckets.indexOf(bucket),
      count,
    }));
  });

describe("quotas of forms", () => {
  test("300 items of 14 000: as near to the pool as whole numbers can be, in subjects and in difficulty, in all forms alike", () => {
    for (const forms of [2, 5]) {
      const quotas = formQuotas(LARGE, 300, forms);
      expect(quotas.identical).toBe(true);
      expect(new Set(quotas.forms)).toHaveProperty("size", 1);
      const [quota] = quotas.forms as [Int32Array];
      expect(marginDistance(LARGE, quota, "subject")).toBeCloseTo(quotas.least.subjects, 9);
      expect(marginDistance(LARGE, quota, "bucket")).toBeCloseTo(quotas.least.buckets, 9);
      expect(quotas.least.buckets).toBeLessThan(0.02);
    }
  });

  test("sums are exact and strata never give more than they have, however much is taken", () => {
    fc.assert(
      fc.property(
        strata,
        fc.integer({ min: 2, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cells, forms, share) => {
          const items = cells.reduce((sum, { count }) => sum + count, 0);
          fc.pre(items >= forms);
          const size = Math.max(1, Math.floor((share * items) / forms));
          const quotas = formQuotas(cells, size, forms);
          expect(quotas.forms).toHaveLength(forms);
          for (const quota of quotas.forms) expect(quota.reduce((sum, count) => sum + count, 0)).toBe(size);
          cells.forEach(({ count }, s) => {
            const taken = quotas.forms.map((quota) => quota[s]!);
            expect(Math.min(...taken)).toBeGreaterThanOrEqual(0);
            expect(taken.reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(count);
          });
        },
      ),
    );
  });

  test("where all items are taken, forms differ by one item of a stratum, subject or bucket at most", () => {
    fc.assert(
      fc.property(strata, fc.integer({ min: 2, max: 4 }), (cells, forms) => {
        const items = cells.reduce((sum, { count }) => sum + count, 0);
        fc.pre(items % forms === 0);
        const { forms: quotas } = formQuotas(cells, items / forms, forms);
        const apart = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
        for (const axis of ["subject", "bucket"] as const) {
          const margins = quotas.map((quota) => marginCounts(cells, axis, quota));
          margins[0]!.forEach((_, k) => expect(apart(margins.map((own) => own[k]!))).toBeLessThanOrEqual(1));
        }
      }),
    );
  });

  test("strata with too few items for all forms leave the numbers by subject and by bucket alike", () => {
    // A third bucket of five items, one a subject: no stratum of it can serve three forms, all of it can.
    const cells = [0, 1, 2, 3, 4].flatMap((subject) =>
      [20, 21, 1].map((count, bucket) => ({ subject, bucket, count })),
    );
    const { forms, identical, least } = formQuotas(cells, 42, 3);
    expect(identical).toBe(false);
    for (const quota of forms) {
      expect(marginDistance(cells, quota, "subject")).toBeCloseTo(least.subjects, 9);
      expect(marginDistance(cells, quota, "bucket")).toBeCloseTo(least.buckets, 9);
      expect(quota.filter((_, s) => cells[s]!.bucket === 2).reduce((sum, count) => sum + count, 0)).toBe(1);
    }
    const bySubject = forms.map((quota) => marginCounts(cells, "subject", quota));
    expect(bySubject[1]).toEqual(bySubject[0]);
    expect(bySubject[2]).toEqual(bySubject[0]);
  });

  test("many forms that take most of the pool have the same numbers by subject and by bucket", () => {
    const forms = 20;
    const items = LARGE.reduce((sum, { count }) => sum + count, 0);
    const size = Math.floor((0.85 * items) / forms);
    const quotas = formQuotas(LARGE, size, forms);
    expect(quotas.identical).toBe(false);
    for (const quota of quotas.forms) {
      expect(marginDistance(LARGE, quota, "subject")).toBeCloseTo(quotas.least.subjects, 9);
      expect(marginDistance(LARGE, quota, "bucket")).toBeCloseTo(quotas.least.buckets, 9);
      for (const axis of ["subject", "bucket"] as const)
        expect(marginCounts(LARGE, axis, quota)).toEqual(marginCounts(LARGE, axis, quotas.forms[0]));
    }
  });

  test("the whole pool in two forms: each item once, odd ones shared out", () => {
    const cells = [3, 5, 4, 8, 1, 3].map((count, k) => ({ subject: k >> 1, bucket: k & 1, count }));
    const { forms, identical } = formQuotas(cells, 12, 2);
    expect(identical).toBe(false);
    cells.forEach(({ count }, s) => expect(forms[0]![s]! + forms[1]![s]!).toBe(count));
    expect(marginDistance(cells, forms[0]!, "subject")).toBeLessThan(0.1);
  });

  test("the least distance is that of largest remainders: 1.5 and .5 of 2 are 2 and 0, or 1 and 1", () => {
    const cells = [3, 1].map((count, subject) => ({ subject, bucket: 0, count }));
    expect(formQuotas(cells, 2, 2).least).toEqual({ subjects: 0.5, buckets: 0 });
    expect(shareDistance([2, 0], [3, 1])).toBe(0.5);
    expect(shareDistance([1, 0], [0, 1])).toBe(2);
  });
});

/** Counts of a pool, rows × columns, and a number of items to take. */
const pools = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 6 }))
  .chain(([rows, columns]) =>
    fc
      .array(fc.integer({ min: 0, max: 30 }), { minLength: rows * columns, maxLength: rows * columns })
      .map((counts) =>
        counts.flatMap((count, k) =>
          count === 0 ? [] : [{ row: Math.floor(k / columns), column: k % columns, count }],
        ),
      ),
  )
  .filter((pool) => pool.length > 0)
  .chain((pool) => {
    const items = pool.reduce((sum, { count }) => sum + count, 0);
    return fc.integer({ min: 1, max: items }).map((size) => ({ pool, items, size }));
  });

function cellsOf(pool: readonly { row: number; column: number; count: number }[], size: number): TableCell[] {
  const items = pool.reduce((sum, { count }) => sum + count, 0);
  return pool.map(({ row, column, count }) => cellOf(row, column, (size * count) / items, count));
}

function cellOf(row: number, column: number, target: number, capacity: number): TableCell {
  return { row, column, target, least: Math.floor(target + 1e-9), capacity };
}

/** Σ of cells by row or column, rows without a cell left out. */
function sums(cells: readonly TableCell[], values: ArrayLike<number>, axis: "row" | "column"): number[] {
  const out = new Map<number, number>();
  cells.forEach((cell, k) => out.set(cell[axis], (out.get(cell[axis]) ?? 0) + values[k]!));
  return [...out].sort(([left], [right]) => left - right).map(([, sum]) => sum);
}

const distance = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, k) => sum + Math.abs(value - other[k]!), 0);

describe("controlled rounding", () => {
  test("the sum is exact, no cell leaves its bounds", () => {
    fc.assert(
      fc.property(pools, ({ pool, size }) => {
        const cells = cellsOf(pool, size);
        const rounded = roundTable(cells, size)!;
        expect(rounded.reduce((sum, value) => sum + value, 0)).toBe(size);
        cells.forEach(({ target, capacity }, k) => {
          expect(rounded[k]).toBeGreaterThanOrEqual(Math.floor(target + 1e-9));
          expect(rounded[k]).toBeLessThanOrEqual(capacity);
        });
      }),
    );
  });

  /** With a cell in every place: where some are absent, the nearest margins can exclude each other. */
  const whole = (cells: readonly TableCell[]): TableCell[] =>
    [...new Set(cells.map(({ row }) => row))].flatMap((row) =>
      [...new Set(cells.map(({ column }) => column))].map(
        (column) =>
          cells.find((cell) => cell.row === row && cell.column === column) ?? {
            row,
            column,
            target: 0,
            least: 0,
            capacity: 0,
          },
      ),
    );

  test("where no cell is absent and capacities are wide both margins are as near as those of largest remainders", () => {
    fc.assert(
      fc.property(pools, ({ pool, size }) => {
        const cells = whole(cellsOf(pool, size)).map((cell) => ({ ...cell, capacity: size }));
        const rounded = roundTable(cells, size)!;
        for (const axis of ["row", "column"] as const) {
          const wanted = sums(
            cells,
            cells.map(({ target }) => target),
            axis,
          );
          const nearest = apportion(size, wanted, 0);
          expect(distance(sums(cells, rounded, axis), wanted)).toBeCloseTo(distance(nearest, wanted), 6);
        }
      }),
    );
  });

  test("with a pool's own counts as capacities margins stay within one of what is wanted", () => {
    fc.assert(
      fc.property(pools, ({ pool, size }) => {
        const cells = cellsOf(pool, size);
        const rounded = roundTable(cells, size)!;
        for (const axis of ["row", "column"] as const) {
          const wanted = sums(
            cells,
            cells.map(({ target }) => target),
            axis,
          );
          sums(cells, rounded, axis).forEach((sum, k) => expect(Math.abs(sum - wanted[k]!)).toBeLessThan(1 + 1e-9));
        }
      }),
    );
  });

  test("is the best of all tables where these can be counted", () => {
    const small = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(small, fc.integer({ min: 1, max: 6 }), (counts, size) => {
        const pool = counts.map((count, k) => ({ row: Math.floor(k / 2), column: k % 2, count }));
        fc.pre(size <= counts.reduce((sum, count) => sum + count, 0));
        const cells = cellsOf(pool, size);
        const cost = (values: ArrayLike<number>): number => {
          const targets = cells.map(({ target }) => target);
          const square = (one: readonly number[], other: readonly number[]): number =>
            one.reduce((sum, value, k) => sum + (value - other[k]!) ** 2, 0);
          return (
            1e6 * square(sums(cells, values, "row"), sums(cells, targets, "row")) +
            1e6 * square(sums(cells, values, "column"), sums(cells, targets, "column")) +
            square(Array.from(values), targets)
          );
        };
        let best = Infinity;
        const visit = (at: number, left: number, values: number[]): void => {
          if (at === cells.length) {
            if (left === 0) best = Math.min(best, cost(values));
            return;
          }
          const least = Math.floor(cells[at]!.target + 1e-9);
          for (let value = least; value <= Math.min(left, cells[at]!.capacity); value++)
            visit(at + 1, left - value, [...values, value]);
        };
        visit(0, size, []);
        expect(cost(roundTable(cells, size)!)).toBeCloseTo(best, 4);
      }),
      { numRuns: 60 },
    );
  });

  test("says where capacities can't hold the sum", () => {
    const cell = (row: number, column: number): TableCell => cellOf(row, column, 0.75, 0);
    expect(roundTable([cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)], 3)).toBeNull();
  });
});

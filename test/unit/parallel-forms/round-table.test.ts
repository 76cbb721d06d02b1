import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { roundTable, type TableCell } from "../../../offline-trainer/src/parallel-forms/round-table.ts";
import { apportion } from "../../../offline-trainer/src/simulate/apportion.ts";

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

  test("where capacities are wide both margins are as near as those of largest remainders", () => {
    fc.assert(
      fc.property(pools, ({ pool, size }) => {
        const cells = cellsOf(pool, size).map((cell) => ({ ...cell, capacity: size }));
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

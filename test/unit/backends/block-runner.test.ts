import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockLayout, cutBlock } from "../../../offline-trainer/src/backends/onnx/block-runner.ts";
import { COLUMN_GROUP } from "../../../offline-trainer/src/backends/onnx/objective-graph.ts";

describe("a layout", () => {
  test("covers the matrix with blocks of about the size asked for, in whole groups of columns", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 100_000 }),
        fc.integer({ min: 1, max: 1 << 20 }),
        (subjects, items, cells) => {
          const layout = blockLayout({ subjects, items }, cells);
          const { rows, columns, down, across } = layout;
          const padded = { subjects: rows * down, items: columns * across };
          expect(columns % COLUMN_GROUP).toBe(0);
          expect(padded.subjects).toBeGreaterThanOrEqual(subjects);
          expect(padded.items).toBeGreaterThanOrEqual(items);
          // No row or column of blocks is padding alone.
          expect(padded.subjects - rows).toBeLessThan(subjects);
          expect(padded.items - columns).toBeLessThan(items);
          expect([down, across]).not.toContain(0);
          expect(rows * columns).toBeLessThanOrEqual(Math.max(cells, COLUMN_GROUP));
        },
      ),
    );
  });

  test("keeps all models together where they fit", () => {
    expect(blockLayout({ subjects: 400, items: 28_659 }, 1 << 18)).toMatchObject({ rows: 400, down: 1 });
    expect(blockLayout({ subjects: 6349, items: 28_659 }, 1 << 18)).toMatchObject({ rows: 6349, columns: 32, down: 1 });
    expect(blockLayout({ subjects: 20_000, items: 50 }, 1 << 18)).toMatchObject({ rows: 6667, down: 3 });
    const squares = blockLayout({ subjects: 6349, items: 28_659 }, 1 << 18, 512);
    expect(squares).toMatchObject({ rows: 489, columns: 512, down: 13 });
  });
});

test("blocks hold every response once, and zeros as padding", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer(),
      (subjects, items, cells, seed) => {
        let state = seed;
        const signs = Int8Array.from({ length: subjects * items }, () => {
          state = (Math.imul(state, 1664525) + 1013904223) | 0;
          return ((state >>> 16) % 3) - 1;
        });
        const layout = blockLayout({ subjects, items }, cells);
        const { rows, columns, down, across } = layout;
        const back = new Int8Array(signs.length);
        let others = 0;
        for (let number = 0; number < down * across; number++)
          cutBlock({ subjects, items, signs }, layout, number).forEach((sign, k) => {
            const m = Math.floor(number / across) * rows + Math.floor(k / columns);
            const i = (number % across) * columns + (k % columns);
            if (m < subjects && i < items) back[m * items + i] = sign;
            else others += Math.abs(sign);
          });
        expect(back).toEqual(signs);
        expect(others).toBe(0);
      },
    ),
  );
});

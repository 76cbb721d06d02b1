import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optimizerBytes, rowBlocks, type RoundOptions } from "../../../../../features/rounds/fit/device-memory.ts";
import { refusal, expectRefusal } from "../../../../support/refusal.ts";

const cuda: RoundOptions = { precision: "float64", rounds: "loop" };

describe("blocks of rows", () => {
  test("cover the matrix, keep to the cells and the memory set aside, and none is padding alone", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 1, max: 50_000 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 1 << 25 }),
        (subjects, items, dims, blockCells) => {
          const memory = 8e9;
          const blocks = rowBlocks({ subjects, items }, dims, { ...cuda, blockCells, memory });
          const { count, rows } = blocks;
          expect(count * rows).toBeGreaterThanOrEqual(subjects);
          expect((count - 1) * rows).toBeLessThan(subjects);
          expect(rows * items).toBeLessThanOrEqual(Math.max(blockCells, items));
          expect(optimizerBytes(blocks, cuda)).toBeLessThanOrEqual(memory);
        },
      ),
    );
  });

  test("6349 × 28 659 fits a card of 8 GB, on CUDA and on WebGPU, and a small board is one block", () => {
    const board = { subjects: 6349, items: 28_659 };
    for (const options of [cuda, { precision: "float32", rounds: "steps" }] as const) {
      const blocks = rowBlocks(board, 2, options);
      expect(blocks).toMatchObject({ count: 6, rows: 1059 });
      expect(optimizerBytes(blocks, options)).toBeLessThan(3e9);
    }
    expect(rowBlocks({ subjects: 400, items: 28_659 }, 50, cuda)).toMatchObject({ count: 1, rows: 400 });
  });

  test("shrink until what is set aside suffices", () => {
    const board = { subjects: 1000, items: 10_000 };
    expect(rowBlocks(board, 2, cuda).count).toBe(1);
    const blocks = rowBlocks(board, 2, { ...cuda, memory: 2e8 });
    expect(blocks.count).toBeGreaterThan(4);
    expect(optimizerBytes(blocks, cuda)).toBeLessThanOrEqual(2e8);
  });
});

test("what fits in no way is refused, with what it takes and what there is", () => {
  expectRefusal(
    refusal(() => rowBlocks({ subjects: 1000, items: 10_000 }, 5, { ...cuda, memory: 2 ** 24 })),
    "unavailable",
    "1000 models × 10000 items in 5 dimensions take 0.1 GB of a device's memory, and 0.0 GB are set aside for it",
  );
});

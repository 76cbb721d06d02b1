import type { CodedResponses } from "../../calibrate/types.ts";
import { COLUMN_GROUP } from "./objective-graph.ts";

/** How a response matrix is cut: blocks of equal size, row of blocks by row of blocks, the last ones padded. */
export interface BlockLayout {
  /** Models and items of the matrix. */
  readonly subjects: number;
  readonly items: number;
  /** Models and items of one block. */
  readonly rows: number;
  readonly columns: number;
  /** Blocks beneath and beside each other. */
  readonly down: number;
  readonly across: number;
}

/**
 * Cuts a matrix into blocks of about `cells` cells, all models together if they fit. Blocks that fit into a core's
 * cache are what makes the CPU fast: on whole matrices every operator waits for the memory.
 */
export function blockLayout(
  { subjects, items }: Pick<CodedResponses, "subjects" | "items">,
  cells: number,
): BlockLayout {
  const tallest = Math.max(1, Math.floor(cells / COLUMN_GROUP));
  const rows = Math.ceil(subjects / Math.ceil(subjects / tallest));
  const down = Math.ceil(subjects / rows);
  const widest = Math.max(COLUMN_GROUP, COLUMN_GROUP * Math.floor(cells / rows / COLUMN_GROUP));
  const across = Math.ceil(items / widest);
  const columns = COLUMN_GROUP * Math.ceil(items / across / COLUMN_GROUP);
  return { subjects, items, rows, columns, down, across };
}

/** Size of the matrix with its padding. */
export function paddedSize({ rows, columns, down, across }: BlockLayout): { subjects: number; items: number } {
  return { subjects: rows * down, items: columns * across };
}

/**
 * One block of responses, coded as the graph reads them: −1 right, +1 wrong, 0 missing or padding.
 * @param number - row of blocks by row of blocks
 */
export function cutBlock({ signs }: CodedResponses, layout: BlockLayout, number: number): Int8Array {
  const { subjects, items, rows, columns, across } = layout;
  const out = new Int8Array(rows * columns);
  const firstRow = Math.floor(number / across) * rows;
  const firstColumn = (number % across) * columns;
  const count = Math.min(items - firstColumn, columns);
  for (let r = 0; r < Math.min(subjects - firstRow, rows); r++) {
    const from = (firstRow + r) * items + firstColumn;
    for (let c = 0; c < count; c++) out[r * columns + c] = -signs[from + c]!;
  }
  return out;
}

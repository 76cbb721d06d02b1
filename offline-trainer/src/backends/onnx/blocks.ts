import type { Responses } from "../../calibrate/types.ts";
import { COLUMN_GROUP, type BlockResponses } from "./objective-graph.ts";

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
export function blockLayout({ subjects, items }: Pick<Responses, "subjects" | "items">, cells: number): BlockLayout {
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
 * One block of responses as the graph reads them: `signs`, −1 right, +1 wrong, 0 missing or padding; or `scores` and
 * `weights`, 0 in padding.
 * @param number - row of blocks by row of blocks
 */
export function cutBlock(responses: Responses, layout: BlockLayout, number: number): BlockResponses {
  const cells = layout.rows * layout.columns;
  if ("signs" in responses) {
    const signs = new Int8Array(cells);
    copyBlock(responses.signs, signs, layout, number);
    for (let k = 0; k < cells; k++) signs[k] = -signs[k]!;
    return { signs };
  }
  const scores = new Float32Array(cells);
  const weights = new Float32Array(cells);
  copyBlock(responses.scores, scores, layout, number);
  copyBlock(responses.weights, weights, layout, number);
  for (let k = 0; k < cells; k++) if (weights[k] === 0) scores[k] = 0; // a missing score may be no number
  return { scores, weights };
}

function copyBlock<A extends Int8Array | Float32Array>(from: A, to: A, layout: BlockLayout, number: number): void {
  const { subjects, items, rows, columns, across } = layout;
  const firstRow = Math.floor(number / across) * rows;
  const firstColumn = (number % across) * columns;
  const lastColumn = Math.min(items, firstColumn + columns);
  for (let r = 0; r < Math.min(subjects - firstRow, rows); r++) {
    const row = (firstRow + r) * items;
    to.set(from.subarray(row + firstColumn, row + lastColumn), r * columns);
  }
}

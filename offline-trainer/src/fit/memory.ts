import { AnchorEvalError } from "anchoreval/core";

/** What Node, ONNX Runtime and the drawing of a report take before any data. */
const BASE_BYTES = 200e6;
/** Bytes of a cell: scores twice (whole and by bank), observed flags, coded responses, blocks, a score map's sums. */
const CELL_BYTES = 13;
/** Numbers that the optimiser keeps of every parameter: eight pairs, and a point, gradients, directions. */
const NUMBERS_PER_PARAMETER = 24;

/** Peak memory of a fit, about. @unit bytes */
export function memoryNeeded(models: number, items: number, dims: number): number {
  const parameters = (models + items) * dims + items;
  return BASE_BYTES + CELL_BYTES * models * items + 8 * NUMBERS_PER_PARAMETER * parameters;
}

/**
 * Says what a fit needs before it starts.
 * @param available - bytes that this process may still take
 * @returns one plain line
 * @throws AnchorEvalError `out_of_memory` where it can't fit
 */
export function memoryStatement(models: number, items: number, dims: number, available: number): string {
  const needed = memoryNeeded(models, items, dims);
  const size = `${models} models × ${items} items in ${dims === 1 ? "one dimension" : `up to ${dims} dimensions`}`;
  if (needed > available)
    throw new AnchorEvalError(
      "out_of_memory",
      `${size} need about ${gigabytes(needed)} of memory, and ${gigabytes(available)} are free: fit scenarios one at a time, fewer models or fewer items, or take a larger machine`,
    );
  return `${size}: about ${gigabytes(needed)} of memory, ${gigabytes(available)} free`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

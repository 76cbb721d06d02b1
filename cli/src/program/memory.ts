import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** Memory of Node, ONNX Runtime and the drawing of a report before any data. @unit bytes */
const BASE_BYTES = 200e6;
/** Bytes of a cell: scores twice (whole and by bank), observed flags, coded responses, blocks, a score map's sums. */
const CELL_BYTES = 13;
/** Held-out estimates of a model in one scenario and size, by every draw and from either evidence. */
const ESTIMATES_BYTES = 14e3;
/** Memory of a thread before any data. @unit bytes */
const THREAD_BYTES = 40e6;
/** Bytes of a cell that every thread has for itself: coded responses, blocks. The scores are theirs together, once. */
const THREAD_CELL_BYTES = 3;
/** Numbers that the optimiser keeps of every parameter: eight pairs, and a point, gradients, directions. */
const NUMBERS_PER_PARAMETER = 24;

/** The sizes that a fit's memory depends on. */
export interface FitSize {
  readonly models: number;
  readonly items: number;
  readonly scenarios: number;
  /** Sizes of the forms, how many. */
  readonly sizes: number;
  readonly dims: number;
  /** Threads beside the first. @default 0 */
  readonly threads?: number;
}

/** Peak memory of a fit, about. @unit bytes */
export function memoryNeeded({ models, items, scenarios, sizes, dims, threads = 0 }: FitSize): number {
  const parameters = (models + items) * dims + items;
  return (
    BASE_BYTES +
    ESTIMATES_BYTES * models * scenarios * sizes +
    THREAD_BYTES * threads +
    (CELL_BYTES + THREAD_CELL_BYTES * threads) * models * items +
    8 * NUMBERS_PER_PARAMETER * (1 + threads) * parameters
  );
}

/**
 * Says what a fit needs before it starts.
 * @param available - bytes that this process may still take
 * @returns one plain line
 * @throws AnchorEvalError `out_of_memory` where it can't fit
 */
export function memoryStatement(fit: FitSize, available: number): string {
  const { models, items, dims } = fit;
  const needed = memoryNeeded(fit);
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

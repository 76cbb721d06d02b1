import { AnchorEvalError } from "anchoreval/internal/core/errors";

/** Memory of Node, ONNX Runtime and the drawing of a report before any data. @unit bytes */
const BASE_BYTES = 225e6;
/** Bytes of a cell: the score, and whether it was observed. All threads share them. */
const CELL_BYTES = 2;
/** Memory of a thread beside the first before any data. @unit bytes */
const THREAD_BYTES = 45e6;
/** Bytes of a cell that every thread has for itself: {@link CELL_BYTES} of the four in five models that a fold learns from. */
const SOURCE_BYTES = 1.6;
/** Bytes of a cell of the scenario that a thread calibrates: coded responses, blocks. */
const CODED_BYTES = 2;
/** Numbers that the optimiser keeps of every parameter of that scenario: eight pairs, and a point, gradients, directions. */
const NUMBERS_PER_PARAMETER = 22;
/** Numbers an item that anchors are chosen by: two a source, of 512 sources at most. */
const [LOADINGS_PER_MODEL, MOST_LOADED] = [2, 512];
/** Held-out estimates of a model in one scenario and size, by one draw and from either evidence. */
const ESTIMATES_BYTES = 4e3;
/** For garbage and the allocator, what data take once more in part: fits of 83, 400 and 6349 models took so much. */
const SPARE = 1.3;

/** The sizes that a fit's memory depends on. */
export interface FitSize {
  readonly models: number;
  readonly items: number;
  /** Items of the largest scenario. */
  readonly largest: number;
  readonly scenarios: number;
  /** Sizes of the forms, how many. */
  readonly sizes: number;
  /** By which each model is held out. */
  readonly draws: number;
  readonly dims: number;
  /** @default 1 */
  readonly threads?: number;
}

/** Peak memory of a fit, about. @unit bytes */
export function memoryNeeded({ models, items, largest, scenarios, sizes, draws, dims, threads = 1 }: FitSize): number {
  const parameters = (models + largest) * dims + largest;
  const thread =
    SOURCE_BYTES * models * items +
    CODED_BYTES * models * largest +
    8 * LOADINGS_PER_MODEL * Math.min(MOST_LOADED, models) * largest +
    8 * NUMBERS_PER_PARAMETER * parameters;
  const estimates = ESTIMATES_BYTES * models * draws * scenarios * sizes;
  const data = CELL_BYTES * models * items + threads * thread + estimates;
  return BASE_BYTES + THREAD_BYTES * (threads - 1) + SPARE * data;
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

import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { MEMORY } from "../../../offline-trainer/src/calibrate/lbfgs.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { pointLength, type RowBlocks } from "./evaluation-nodes.ts";

/** How whole rounds are computed. */
export interface RoundOptions {
  readonly precision: "float32" | "float64";
  /**
   * `loop`: a round is one run of a graph; `steps`: an evaluation is, and what it leaves to the next stays on the device, for
   * WebGPU, which has no Loop.
   */
  readonly rounds: "loop" | "steps";
  /** Cells of a block at most. @default 2²⁵, less where the memory wants it */
  readonly blockCells?: number;
  /** Of the device, for one calibration. @unit bytes @default 6 GiB */
  readonly memory?: number;
}

/** Cells of a block: some thousand times as many as a device has cores, and 2.7 GB of temporaries in float64. */
const BLOCK_CELLS = 1 << 25;
/** A card of 8 GB, less what CUDA, its libraries and a screen hold of it. */
const DEVICE_BYTES = 6 * 2 ** 30;
/** Bytes of a cell that stays: its response as int8; in steps, where that is folded, as a number besides. */
const STAYING_BYTES = { loop: 1, steps: 5 } as const;
/**
 * Numbers of a block's cell: S, V, P and 1−P (which becomes the loss) are alive at once, and the runtime's arena, which
 * doubles as it grows, holds as much again (measured on the CPU provider: 8 to 10).
 */
const TEMPORARIES = 10;
/** Vectors of all parameters: both memories six times over while a pair is pushed, and those of a step. */
const VECTORS = 12 * MEMORY + 16;

/**
 * The device's memory that a calibration takes, about, in bytes: 1 for every cell (5 in steps), 10 numbers for every cell of
 * a block, and 112 for every parameter. A number has 8 bytes in float64 and 4 in float32.
 *
 * @example
 * const blocks = { subjects: 6349, items: 28_659, dims: 2, count: 6, rows: 1059 };
 * (optimizerBytes(blocks, { precision: "float64", rounds: "loop" }) / 2 ** 30).toFixed(1) // "2.5"
 */
export function optimizerBytes(
  blocks: RowBlocks,
  { precision, rounds }: Pick<RoundOptions, "precision" | "rounds">,
): number {
  const { items, count, rows } = blocks;
  const number = precision === "float64" ? 8 : 4;
  const cells = rows * items;
  return cells * count * STAYING_BYTES[rounds] + number * (cells * TEMPORARIES + pointLength(blocks) * VECTORS);
}

/**
 * Cuts a matrix into as few blocks of rows as `blockCells` and the memory allow.
 * @throws AnchorEvalError `unavailable` where blocks of one row wouldn't fit either
 */
export function rowBlocks(
  { subjects, items }: Pick<CodedResponses, "subjects" | "items">,
  dims: number,
  { precision, rounds, blockCells = BLOCK_CELLS, memory = DEVICE_BYTES }: RoundOptions,
): RowBlocks {
  let count = Math.ceil(subjects / Math.max(1, Math.floor(blockCells / items)));
  for (;;) {
    const rows = Math.ceil(subjects / count);
    const blocks = { subjects, items, dims, count: Math.ceil(subjects / rows), rows };
    const bytes = optimizerBytes(blocks, { precision, rounds });
    if (bytes <= memory) return blocks;
    if (rows === 1)
      throw new AnchorEvalError(
        "unavailable",
        `${subjects} models × ${items} items in ${dims} dimensions take ${gigabytes(bytes)} of a device's memory, and ${gigabytes(memory)} are set aside for it: calibrate on the CPU, or in fewer dimensions`,
      );
    count = Math.ceil(subjects / Math.floor(rows / 2));
  }
}

function gigabytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GB`;
}

import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { Tensor } from "onnxruntime-node";
import { countAnswers } from "../../calibrate/answer-counts.ts";
import { MEMORY } from "../../calibrate/lbfgs.ts";
import type { DeviceOptimizer, Optimizer, Parameters } from "../../calibrate/types.ts";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import { feedsBlocks } from "./block-runner.ts";
import { pointLength, type RowBlocks } from "./evaluation-nodes.ts";
import { lbfgsGraph } from "./lbfgs-graph.ts";
import { type OnnxRuntime, openSession, runSession } from "./session.ts";

/** Where and how rounds are computed. */
export interface OptimizerOptions {
  readonly provider: string;
  readonly precision: "float32" | "float64";
  /** Cells of a block at most. @default {@link BLOCK_CELLS}, less where the memory wants it */
  readonly blockCells?: number;
  /** Of the device, for one calibration. @unit bytes @default {@link DEVICE_BYTES} */
  readonly memory?: number;
}

/** Cells of a block: some thousand times as many as a device has cores, and 1.3 GB of temporaries in float64. */
export const BLOCK_CELLS = 1 << 25;
/** A card of 8 GB, less what CUDA, its libraries and a screen hold of it. */
export const DEVICE_BYTES = 6 * 2 ** 30;
/** Bytes of a cell that stays: its response, and the response where its model counts. */
const STAYING_BYTES = 2;
/** Numbers of a block's cell that are alive at once: S, V, P, 1−P (which becomes the loss), and one to spare. */
const TEMPORARIES = 5;
/** Vectors of all parameters: both memories, before and after a pair is pushed, and those of a step. */
const VECTORS = 4 * MEMORY + 24;
/** Constants of a model have 2 GiB together at most; larger matrices are fed anew to every round. */
const MOST_BAKED = 2 ** 31 - 2 ** 24;

/**
 * The device's memory that a calibration takes, about, in bytes: 2 for every cell, 5 numbers for every cell of a block, and 56
 * for every parameter. A number has 8 bytes in float64 and 4 in float32.
 *
 * @example
 * const blocks = { subjects: 6349, items: 28_659, dims: 2, count: 6, rows: 1059 };
 * (optimizerBytes(blocks, "float64") / 2 ** 30).toFixed(1) // "1.5"
 */
export function optimizerBytes(blocks: RowBlocks, precision: "float32" | "float64"): number {
  const { items, count, rows } = blocks;
  const number = precision === "float64" ? 8 : 4;
  const cells = rows * items;
  return cells * count * STAYING_BYTES + number * (cells * TEMPORARIES + pointLength(blocks) * VECTORS);
}

/**
 * Cuts a matrix into as few blocks of rows as `blockCells` and the memory allow.
 * @throws AnchorEvalError `unavailable` where blocks of one row wouldn't fit either
 */
export function rowBlocks(
  { subjects, items }: Pick<CodedResponses, "subjects" | "items">,
  dims: number,
  { precision, blockCells = BLOCK_CELLS, memory = DEVICE_BYTES }: Omit<OptimizerOptions, "provider">,
): RowBlocks {
  let count = Math.ceil(subjects / Math.max(1, Math.floor(blockCells / items)));
  for (;;) {
    const rows = Math.ceil(subjects / count);
    const blocks = { subjects, items, dims, count: Math.ceil(subjects / rows), rows };
    const bytes = optimizerBytes(blocks, precision);
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

/** Opens a matrix on a device. @throws AnchorEvalError `unavailable` where the provider doesn't start, or the matrix doesn't fit */
export async function onnxOptimizer(
  runtime: OnnxRuntime,
  responses: CodedResponses,
  dims: number,
  options: OptimizerOptions,
): Promise<DeviceOptimizer> {
  const { provider, precision } = options;
  const { subjects, items } = responses;
  const blocks = rowBlocks(responses, dims, options);
  const { count, rows } = blocks;
  const cells = count * rows * items;
  let { signs } = responses;
  if (signs.length < cells) (signs = new Int8Array(cells)).set(responses.signs);
  const isBaked = !feedsBlocks(provider) && cells <= MOST_BAKED;
  const graph = lbfgsGraph({ ...blocks, type: precision, ...(isBaked && { signs }) });
  const session = await openSession(runtime, provider, graph);
  const numbers = precision === "float32" ? Float32Array : Float64Array;
  const tensor = (data: ArrayLike<number>, shape: readonly number[] = [data.length]): Tensor =>
    new runtime.Tensor(precision, new numbers(data) as never, shape);
  const flags = (data: Uint8Array, shape: readonly number[]): Tensor => new runtime.Tensor("bool", data, shape);
  const fed = isBaked ? {} : { signs: new runtime.Tensor("int8", signs, [count, rows, items]) };
  const answers = countAnswers(responses).subject.seen;

  const length = pointLength(blocks);
  const among = (kept: ArrayLike<number>): Optimizer => {
    const counts = new Uint8Array(count * rows);
    let silent = cells;
    for (let k = 0; k < kept.length; k++) {
      counts[kept[k]!] = 1;
      silent -= answers[kept[k]!]!;
    }
    const place = { kept, dims, subjects };
    return {
      optimize: async (at, { scales, prior, scaling, isFixed, tolerance, maxEvaluations }) => {
        // Models that don't count rest at the prior's mean, where nothing moves them.
        const start = new Float64Array(length);
        for (let k = 0; k < subjects * dims; k++) start[k] = prior.mean[k % dims]!;
        const results = await runSession(session, provider, {
          ...fed,
          start: tensor(packed(at, start, place), [1, length]),
          scaling: tensor(packed(scaling, new Float64Array(length).fill(1), place), [1, length]),
          mean: tensor(prior.mean),
          precision: tensor(prior.precision, [dims, dims]),
          itemMean: tensor([...scales.aMean, scales.bMean]),
          itemVariance: tensor([...scales.aVariance, scales.bVariance]),
          isFree: flags(
            Uint8Array.from({ length: items }, (_, i) => (isFixed?.[i] ? 0 : 1)),
            [items, 1],
          ),
          counts: flags(counts, [count, rows, 1]),
          silence: tensor([silent * Math.LN2]),
          tolerance: tensor([tolerance]),
          maxEvaluations: tensor([maxEvaluations]),
        });
        const { point, value, gradientNorm, spent, hasConverged } = results;
        const numbersOf = (output: Tensor | undefined): Float64Array => output!.data as Float64Array;
        unpack(numbersOf(point), at, place);
        return {
          value: numbersOf(value)[0]!,
          gradientNorm: numbersOf(gradientNorm)[0]!,
          evaluations: numbersOf(spent)[0]!,
          converged: numbersOf(hasConverged)[0] === 1,
        };
      },
      dispose: () => Promise.resolve(),
    };
  };
  const all = among(Array.from({ length: subjects }, (_, m) => m));
  return { ...all, among, dispose: () => session.release() };
}

/** Which models parameters are of, and how the graph has them: θ of all models, then [a, b] item by item. */
interface Place {
  readonly kept: ArrayLike<number>;
  readonly dims: number;
  readonly subjects: number;
}

/** @param point - filled where there are parameters @returns it */
function packed({ theta, a, b }: Parameters, point: Float64Array, { kept, dims, subjects }: Place): Float64Array {
  for (let k = 0; k < kept.length; k++)
    for (let d = 0; d < dims; d++) point[kept[k]! * dims + d] = theta[k * dims + d]!;
  for (let i = 0, at = subjects * dims; i < b.length; i++) {
    for (let d = 0; d < dims; d++) point[at++] = a[i * dims + d]!;
    point[at++] = b[i]!;
  }
  return point;
}

/** The other way. */
function unpack(
  point: Float64Array | Float32Array,
  { theta, a, b }: Parameters,
  { kept, dims, subjects }: Place,
): void {
  for (let k = 0; k < kept.length; k++)
    for (let d = 0; d < dims; d++) theta[k * dims + d] = point[kept[k]! * dims + d]!;
  for (let i = 0, at = subjects * dims; i < b.length; i++) {
    for (let d = 0; d < dims; d++) a[i * dims + d] = point[at++]!;
    b[i] = point[at++]!;
  }
}

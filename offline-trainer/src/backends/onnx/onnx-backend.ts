import { invalidOption } from "anchoreval/internal/core/errors";
import { answersAmong } from "../../calibrate/answer-counts.ts";
import type { CalibrationBackend, Objective, Parameters } from "../../calibrate/types.ts";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import {
  blockLayout,
  type BlockLayout,
  blockRunner,
  cutBlock,
  type EvaluationArrays,
  feedsBlocks,
  type LaneRunner,
  LANES,
  type LaneTask,
} from "./block-runner.ts";
import type { OnnxRuntime } from "./session.ts";

/** How ONNX Runtime computes. */
export interface OnnxBackendOptions {
  /** Execution provider of the runtime: `cpu` and `cuda` in Node, `wasm` of onnxruntime-web, `webgpu` of either. */
  readonly provider: string;
  /** @default float64 on `cuda`, whose float32 products are TF32 and mislead L-BFGS; else float32 */
  readonly precision?: "float32" | "float64";
  /** Refines what this backend has fitted to its own precision. @see CalibrationBackend.finish */
  readonly finish?: CalibrationBackend;
  /** Cells of a block at most: what one run of the graph holds in memory, some ten times over. @default by provider */
  readonly blockCells?: number;
  /** Threads for a provider that computes where the responses lie. @default none but the caller's */
  readonly threads?: LaneThreads;
}

/** Threads that share a calibration's blocks. */
interface LaneThreads {
  /** At most, the caller's among them. Results don't depend on it. */
  readonly count: number;
  /** Opens a runner on a thread of its own. */
  open(task: LaneTask): Promise<LaneRunner>;
}

/** Cells of a block on the CPU: what an operator reads and writes, in float32, stays in a core's cache. */
const CACHED_CELLS = 1 << 18;
/**
 * Models of a block on the CPU: squares have the fewest parameters to lay out and sums to add up for their cells. Of 6349
 * models in blocks of 32 columns, that took half as long as the graph itself.
 */
const TALLEST = 512;
/** Cells of a block on WebGPU: in float32 they fill the 128 MiB that every device lets a kernel read from one buffer. */
const WEBGPU_CELLS = 1 << 25;
/** Cells of a block on other devices: baked into a model, which has 2 GiB at most. */
const DEVICE_CELLS = 1 << 27;
/** Cells for which one more thread pays. */
const THREAD_CELLS = 1 << 20;

/**
 * Calibration on ONNX Runtime: the value-and-gradient graph on any of its execution providers, in Node and in browsers.
 * Nothing starts before the first calibration; one whose provider doesn't start there throws `unavailable`.
 * @param runtime - `onnxruntime-node`, `onnxruntime-web`, `onnxruntime-web/webgpu`, …
 * @throws AnchorEvalError `invalid_option` for float64 on WebGPU, which has none
 *
 * @example
 * const backend = onnxBackend(runtime, { provider: "wasm", precision: "float64" });
 * backend.name // "onnxruntime-wasm"
 */
export function onnxBackend(runtime: OnnxRuntime, options: OnnxBackendOptions): CalibrationBackend {
  const { provider, finish, threads } = options;
  const precision = options.precision ?? (provider === "cuda" ? "float64" : "float32");
  const blockCells = options.blockCells ?? suitedCells(provider, precision);
  if (provider === "webgpu" && precision === "float64")
    throw invalidOption("WebGPU computes in float32 only; finish in float64 on another backend");
  return {
    name: `onnxruntime-${provider}`,
    precision,
    ...(finish && { finish }),
    open: async (responses, dims) => {
      const layout = blockLayout(responses, blockCells, feedsBlocks(provider) ? TALLEST : undefined);
      const worthwhile = Math.ceil((responses.subjects * responses.items) / THREAD_CELLS);
      const count = threads ? Math.max(1, Math.min(threads.count, worthwhile, layout.across, LANES)) : 1;
      const tasks = dealBlocks(responses, layout, count).map((blocks): LaneTask => ({
        layout,
        dims,
        provider,
        precision,
        blocks,
      }));
      const runners: LaneRunner[] = [];
      try {
        for (const task of tasks.slice(1)) runners.push(await threads!.open(task));
        runners.push(await blockRunner(runtime, tasks[0]!));
      } catch (error) {
        for (const runner of runners) await runner.release();
        throw error;
      }
      const silence = silentCells(responses, layout) * Math.LN2;
      return onnxObjective(runners, layout, dims, { silence, isLean: feedsBlocks(provider) });
    },
  };
}

function suitedCells(provider: string, precision: "float32" | "float64"): number {
  if (feedsBlocks(provider)) return precision === "float32" ? CACHED_CELLS : CACHED_CELLS / 2;
  return provider === "webgpu" ? WEBGPU_CELLS : DEVICE_CELLS;
}

/** The blocks of every thread, each with memory of its own. */
function dealBlocks(responses: CodedResponses, layout: BlockLayout, threads: number): Map<number, Int8Array>[] {
  const shares = Array.from({ length: threads }, () => new Map<number, Int8Array>());
  for (let number = 0; number < layout.down * layout.across; number++) {
    const lane = (number % layout.across) % LANES;
    shares[lane % threads]!.set(number, cutBlock(responses, layout, number));
  }
  return shares;
}

/**
 * The objective from the sums of its lanes.
 * @param runners - between them, all lanes
 * @param options - the value of cells without an answer, which comes off; whether slopes alone take less time
 */
function onnxObjective(
  runners: readonly LaneRunner[],
  { subjects, items, across }: BlockLayout,
  dims: number,
  { silence, isLean }: { readonly silence: number; readonly isLean: boolean },
): Objective {
  const array = (length: number): Float64Array =>
    new Float64Array(runners.length > 1 ? new SharedArrayBuffer(8 * length) : new ArrayBuffer(8 * length));
  const lanes = Math.min(LANES, across);
  const arrays: EvaluationArrays = {
    point: array((subjects + items) * dims + items),
    items: array(items * dims + items),
    subjects: array(lanes * subjects * dims),
    values: array(lanes),
  };
  const run = async ({ theta, a, b }: Parameters, gradient: Parameters, slopes: boolean): Promise<number> => {
    arrays.point.set(theta);
    arrays.point.set(a, subjects * dims);
    arrays.point.set(b, (subjects + items) * dims);
    await Promise.all(runners.map((runner) => runner.evaluate(arrays, slopes)));
    gradient.a.set(arrays.items.subarray(0, items * dims));
    gradient.b.set(arrays.items.subarray(items * dims));
    const { theta: sums } = gradient;
    sums.set(arrays.subjects.subarray(0, sums.length));
    let value = arrays.values[0]! - silence;
    for (let lane = 1; lane < lanes; lane++) {
      for (let k = 0; k < sums.length; k++) sums[k]! += arrays.subjects[lane * sums.length + k]!;
      value += arrays.values[lane]!;
    }
    return value;
  };
  return {
    evaluate: (at, gradient) => run(at, gradient, false),
    ...(isLean && {
      slopes: async (at, gradient) => {
        await run(at, gradient, true);
      },
    }),
    dispose: async () => {
      for (const runner of runners) await runner.release();
    },
  };
}

/** Cells without an answer, padding among them: the graph counts log 2 for each. */
function silentCells({ signs }: CodedResponses, { rows, down, columns, across }: BlockLayout): number {
  return rows * down * columns * across - answersAmong(signs);
}

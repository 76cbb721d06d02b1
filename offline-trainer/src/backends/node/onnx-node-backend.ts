import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import * as runtime from "onnxruntime-node";
import type { CalibrationBackend } from "../../calibrate/types.ts";
import { receivedError, type SentError } from "../../threads/run-on-threads.ts";
import type { EvaluationArrays, LaneRunner, LaneTask } from "../onnx/block-runner.ts";
import { onnxOptimizer, type RoundOptions } from "../../../../features/fit-backends.ts";
import { onnxBackend, type OnnxBackendOptions } from "../onnx/onnx-backend.ts";

export interface OnnxNodeBackendOptions extends Omit<OnnxBackendOptions, "threads"> {
  /** Threads of the CPU provider. Results don't depend on it. @default one a core */
  readonly threads?: number;
  /** Whole rounds are computed where the responses lie: fast on a device, slow on a CPU. @default not */
  readonly rounds?: RoundOptions["rounds"];
  /** Of the device, for whole rounds of one calibration. @unit bytes @default 6 GiB */
  readonly memory?: number;
}

// A provider that does not start is reported by its error, not on standard error besides.
runtime.env.logLevel = "fatal";

/** Calibration on ONNX Runtime's build for Node; the CPU's blocks are shared by threads. */
export function onnxNodeBackend({ threads, rounds, memory, ...options }: OnnxNodeBackendOptions): CalibrationBackend {
  const count = threads ?? availableParallelism();
  const shared = options.provider === "cpu" ? { threads: { count, open: openThread } } : {};
  const backend = onnxBackend(runtime, { ...options, ...shared });
  if (rounds === undefined) return count > 1 ? { ...backend, alone: onnxBackend(runtime, options) } : backend;
  const device = { ...options, precision: backend.precision, rounds, ...(memory !== undefined && { memory }) };
  return { ...backend, openOptimizer: (responses, dims) => onnxOptimizer(runtime, responses, dims, device) };
}

/** An evaluation that is asked of a thread. */
export type ThreadRequest = readonly [arrays: EvaluationArrays, slopes: boolean];

/** An answer of a thread: nothing more to say, or what went wrong. */
export interface ThreadReply {
  readonly error?: SentError;
}

/**
 * Evaluates lanes on a thread of its own, which has its own session of ONNX Runtime.
 * @param task - its blocks' memory moves to the thread
 */
export async function openThread(task: LaneTask): Promise<LaneRunner> {
  const worker = new Worker(new URL("./block-worker.js", import.meta.url), {
    workerData: task,
    transferList: Array.from(task.blocks.values(), ({ buffer }) => buffer as ArrayBuffer),
  });
  const reply = async (): Promise<void> => {
    const listening = new AbortController();
    const { signal } = listening;
    const ended = once(worker, "exit", { signal }).then(([status]): never => {
      throw new Error(`a thread of the calibration ended with status ${status}`);
    });
    try {
      const [{ error }] = (await Promise.race([once(worker, "message", { signal }), ended])) as [ThreadReply];
      if (error) throw receivedError(error);
    } finally {
      listening.abort();
    }
  };
  await reply();
  return {
    evaluate: (...request: ThreadRequest) => {
      const done = reply();
      worker.postMessage(request);
      return done;
    },
    release: async () => {
      await worker.terminate();
    },
  };
}

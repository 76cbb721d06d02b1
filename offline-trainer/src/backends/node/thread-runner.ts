import { Worker } from "node:worker_threads";
import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval/core";
import type { EvaluationArrays, LaneRunner, LaneTask } from "../onnx/block-runner.ts";

/** An answer of a thread: nothing more to say, or what went wrong. */
export interface ThreadReply {
  readonly error?: { readonly code: AnchorEvalErrorCode | null; readonly message: string };
}

/**
 * Evaluates lanes on a thread of its own, which has its own session of ONNX Runtime.
 * @param task - its blocks' memory moves to the thread
 */
export async function openThread(task: LaneTask): Promise<LaneRunner> {
  const worker = new Worker(new URL("./block-worker.js", import.meta.url), {
    workerData: task,
    transferList: [...task.blocks.values()].flatMap((block) =>
      Object.values(block).map(({ buffer }) => buffer as ArrayBuffer),
    ),
  });
  const reply = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      };
      const onMessage = ({ error }: ThreadReply): void => {
        settle();
        if (!error) resolve();
        else reject(error.code ? new AnchorEvalError(error.code, error.message) : new Error(error.message));
      };
      const onError = (error: Error): void => {
        settle();
        reject(error);
      };
      const onExit = (status: number): void => {
        settle();
        reject(new Error(`a thread of the calibration ended with status ${status}`));
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    });
  await reply();
  return {
    evaluate: (arrays: EvaluationArrays) => {
      const done = reply();
      worker.postMessage(arrays);
      return done;
    },
    release: async () => {
      await worker.terminate();
    },
  };
}

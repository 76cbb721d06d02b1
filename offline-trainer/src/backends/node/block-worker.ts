import { parentPort, workerData } from "node:worker_threads";
import { AnchorEvalError } from "anchoreval/core";
import * as runtime from "onnxruntime-node";
import { BlockRunner, type EvaluationArrays, type LaneTask } from "../onnx/block-runner.ts";
import type { ThreadReply } from "./thread-runner.ts";

/** A thread of a calibration: opens its blocks, then evaluates them whenever it is sent the arrays. */
const port = parentPort!;

async function answer(work: Promise<unknown>): Promise<void> {
  const reply: ThreadReply = await work.then(
    () => ({}),
    (cause: unknown) => ({
      error: {
        code: cause instanceof AnchorEvalError ? cause.code : null,
        message: cause instanceof Error ? cause.message : String(cause),
      },
    }),
  );
  port.postMessage(reply);
}

const opened = BlockRunner.create(runtime, workerData as LaneTask);
port.on("message", (arrays: EvaluationArrays) => void answer(opened.then((runner) => runner.evaluate(arrays))));
void answer(opened);

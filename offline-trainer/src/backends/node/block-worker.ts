import { parentPort, workerData } from "node:worker_threads";
import * as runtime from "onnxruntime-node";
import { sentError } from "../../threads/run-on-threads.ts";
import { blockRunner, type LaneTask } from "../onnx/block-runner.ts";
import type { ThreadReply, ThreadRequest } from "./onnx-node-backend.ts";

/** A thread of a calibration: opens its blocks, then evaluates them whenever it is sent the arrays. */
const port = parentPort!;

async function answer(work: Promise<unknown>): Promise<void> {
  const reply: ThreadReply = await work.then(
    () => ({}),
    (cause: unknown) => ({ error: sentError(cause) }),
  );
  port.postMessage(reply);
}

const opened = blockRunner(runtime, workerData as LaneTask);
port.on(
  "message",
  ([arrays, slopes]: ThreadRequest) => void answer(opened.then((runner) => runner.evaluate(arrays, slopes))),
);
void answer(opened);

import { parentPort } from "node:worker_threads";
import type { ThreadReply } from "./run-on-threads.ts";
import { sentError } from "./sent-error.ts";

/**
 * The other end of `runOnThreads`, called once by the script of a thread: computes what it is sent, one at a time.
 * @param compute - gets one of `inputs` and gives its output, or a promise of it, by the types that the other end has; `say` sends a note on the way
 */
export function answerInputs(compute: (input: never, say: (note: unknown) => void) => unknown): void {
  const port = parentPort!;
  const reply = (message: ThreadReply<unknown, unknown>): void => port.postMessage(message);
  port.on("message", ({ index, input }: { index: number; input: never }) => {
    void (async () => {
      try {
        reply({ index, output: await compute(input, (note) => reply({ index, note })) });
      } catch (error) {
        reply({ index, error: sentError(error) });
      }
    })();
  });
}

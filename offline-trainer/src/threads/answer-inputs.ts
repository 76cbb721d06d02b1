import { parentPort, workerData } from "node:worker_threads";
import { INSIDE, sentError, STOP, type ThreadInput, type ThreadReply, type ThreadStart } from "./messages.ts";

/** The data that all threads of the pool got once. */
export function threadData(): unknown {
  return (workerData as ThreadStart).data;
}

/** Does work that the thread must not be ended in, as native code: where it is to end, the work never begins. */
export async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  const { lock } = workerData as ThreadStart;
  Atomics.add(lock, INSIDE, 1);
  try {
    if (Atomics.load(lock, STOP) === 0) return await work();
  } finally {
    Atomics.sub(lock, INSIDE, 1);
  }
  return new Promise(() => undefined);
}

/**
 * The other end of `runOnThreads`, called once by the script of a thread: computes what it is sent, one at a time.
 * @param compute - gets one of `inputs` and gives its output, or a promise of it, by the types that the other end has;
 * `say` sends a note on the way
 */
export function answerInputs(compute: (input: never, say: (note: unknown) => void) => unknown): void {
  const port = parentPort!;
  const reply = (message: ThreadReply<unknown, unknown>): void => port.postMessage(message);
  port.on("message", ({ index, input }: ThreadInput) => {
    void (async () => {
      try {
        reply({ index, output: await compute(input as never, (note) => reply({ index, note })) });
      } catch (error) {
        reply({ index, error: sentError(error) });
      }
    })();
  });
}

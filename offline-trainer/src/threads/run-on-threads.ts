import { Worker } from "node:worker_threads";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { receivedError, type ThreadInput, type ThreadReply, type ThreadStart, untilOutside } from "./messages.ts";

export interface ThreadsOptions<Note> {
  /** Threads at most; there are no more than inputs. */
  readonly threads: number;
  /** Name of the work in error messages: `the back-test`. */
  readonly work: string;
  /** Data that every thread gets once, before its first input (`threadData`). Memory that isn't shared is copied. */
  readonly data?: unknown;
  readonly signal?: AbortSignal;
  /** @param done - inputs that are done */
  readonly onDone?: (done: number) => void;
  /** @param index - of the input that the thread is at */
  readonly onNote?: (index: number, note: Note) => void;
}

/**
 * Computes an output of every input on threads. They begin with the first inputs, and who is done takes the next one:
 * where inputs take unlike times, the longest had better be first. A thread ends as soon as there is nothing left for it.
 * @param script - built script of the threads, which calls `answerInputs`
 * @returns outputs in the order of the inputs
 * @throws AnchorEvalError `aborted` where the signal ends it, or had before it began; else whatever a thread threw first,
 * with its code. No thread is left in any case.
 */
export async function runOnThreads<Output, Note = never>(
  script: URL,
  inputs: readonly unknown[],
  { threads, work, data, signal, onDone, onNote }: ThreadsOptions<Note>,
): Promise<Output[]> {
  const interrupted = (): AnchorEvalError => new AnchorEvalError("aborted", `${work} was interrupted`);
  if (signal?.aborted) throw interrupted();
  const workers = Array.from({ length: Math.min(threads, inputs.length) }, () => {
    const start: ThreadStart = { data, lock: new Int32Array(new SharedArrayBuffer(8)) };
    return { worker: new Worker(script, { workerData: start }), lock: start.lock };
  });
  const outputs: Output[] = [];
  let next = 0;
  let done = 0;
  const drive = ({ worker }: { readonly worker: Worker }): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        if (next < inputs.length) {
          const index = next++;
          worker.postMessage({ index, input: inputs[index] } satisfies ThreadInput);
          return;
        }
        resolve();
        void worker.terminate();
      };
      worker.on("error", reject);
      worker.on("exit", (status) => reject(new Error(`a thread of ${work} ended with status ${status}`)));
      worker.on("message", (reply: ThreadReply<Output, Note>) => {
        if (signal?.aborted) return;
        if ("note" in reply) onNote?.(reply.index, reply.note);
        else if ("error" in reply) reject(receivedError(reply.error));
        else {
          outputs[reply.index] = reply.output;
          onDone?.(++done);
          give();
        }
      });
      give();
    });
  const ended = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(interrupted()), { signal: ended.signal });
  });
  try {
    await Promise.race([stopped, Promise.all(workers.map(drive))]);
  } finally {
    ended.abort();
    await Promise.all(
      workers.map(async ({ worker, lock }) => {
        await untilOutside(lock, () => worker.threadId === -1);
        await worker.terminate();
      }),
    );
  }
  return outputs;
}

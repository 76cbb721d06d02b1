import { Worker, parentPort, workerData } from "node:worker_threads";
import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval/internal/core/errors";
import { setTimeout as wait } from "node:timers/promises";

export interface ThreadsOptions<Output, Note> {
  /** Threads at most; there are no more than inputs. */
  readonly threads: number;
  /** How the caller's thread takes inputs, too. @default it only waits */
  readonly caller?: CallersThread<Output, Note>;
  /** Time that an input takes, in any unit: the longest begin first, so that no thread ends with one. @default all the same */
  readonly cost?: (index: number) => number;
  /** Name of the work in error messages: `the back-test`. */
  readonly work: string;
  /** Data that every thread gets once, before its first input (`threadData`). Memory that isn't shared is copied. */
  readonly data?: unknown;
  readonly signal?: AbortSignal;
  /** @param done - inputs that are done */
  readonly onDone?: (done: number) => void;
  /** @param index - of the input that the thread is at */
  readonly onNote?: (index: number, note: Note) => void;
  /** Answers a question of a thread. @param index - of the input that it is at @default threads ask nothing */
  readonly onAsk?: (index: number, question: never) => Promise<unknown>;
}

/** The caller's thread: it hears the others between its turns of the event loop. */
export interface CallersThread<Output, Note> {
  /** When it has done what it does before. */
  readonly free: Promise<unknown>;
  readonly compute: (index: number, say: (note: Note) => void, signal: AbortSignal) => Promise<Output>;
}

/**
 * Computes an output of every input on threads. They begin with the first inputs, or with the longest, and who is done takes
 * the next one. A thread ends as soon as there is nothing left for it.
 * @param script - built script of the threads, which calls `answerInputs`
 * @returns outputs in the order of the inputs
 * @throws AnchorEvalError `aborted` where the signal ends it, or had before it began; else whatever a thread threw first,
 * with its code. No thread is left in any case.
 */
export async function runOnThreads<Output, Note = never>(
  script: URL,
  inputs: readonly unknown[],
  { threads, caller, cost = () => 0, work, data, signal, onDone, onNote, onAsk }: ThreadsOptions<Output, Note>,
): Promise<Output[]> {
  const interrupted = (): AnchorEvalError => new AnchorEvalError("aborted", `${work} was interrupted`);
  if (signal?.aborted) throw interrupted();
  const workers: { readonly worker: Worker; readonly lock: ThreadLock }[] = [];
  const outputs: Output[] = [];
  const left = [...inputs.keys()].sort((x, y) => cost(y) - cost(x));
  let done = 0;
  const runThread = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const start: ThreadStart = { data, lock: new Int32Array(new SharedArrayBuffer(8)) };
      const worker = new Worker(script, { workerData: start });
      workers.push({ worker, lock: start.lock });
      const give = (): void => {
        const index = left.shift();
        if (index !== undefined) {
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
        else if ("question" in reply) void answered(reply, onAsk!).then((answer) => worker.postMessage(answer));
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
  const runHere = async ({ free, compute }: CallersThread<Output, Note>): Promise<void> => {
    await free;
    while (!ended.signal.aborted) {
      const index = left.shift();
      if (index === undefined) return;
      outputs[index] = await compute(index, (note) => onNote?.(index, note), ended.signal);
      if (!signal?.aborted) onDone?.(++done);
    }
  };
  const stopped = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(interrupted()), { signal: ended.signal });
  });
  const running = Array.from({ length: Math.min(threads, inputs.length) }, runThread);
  const here = caller && runHere(caller);
  try {
    await Promise.race([stopped, Promise.all([...running, here])]);
  } finally {
    ended.abort();
    await Promise.allSettled([here]);
    await Promise.all(
      workers.map(async ({ worker, lock }) => {
        await untilOutside(lock, () => worker.threadId === -1);
        await worker.terminate();
      }),
    );
  }
  return outputs;
}

/** Data that a pool gives a thread at its start. */
interface ThreadStart {
  readonly data: unknown;
  readonly lock: ThreadLock;
}

interface ThreadInput {
  readonly index: number;
  readonly input: unknown;
}

/** A thread's reply to an input: notes and questions on the way, and in the end its output or its error. */
type ThreadReply<Output, Note> = { readonly index: number } & (
  | { readonly note: Note }
  | { readonly question: unknown; readonly number: number }
  | { readonly output: Output }
  | { readonly error: SentError }
);

/** The answer to a thread's question. */
type ThreadAnswer = { readonly number: number } & ({ readonly answer: unknown } | { readonly error: SentError });

async function answered(
  { index, question, number }: { readonly index: number; readonly question: unknown; readonly number: number },
  onAsk: (index: number, question: never) => Promise<unknown>,
): Promise<ThreadAnswer> {
  try {
    return { number, answer: await onAsk(index, question as never) };
  } catch (error) {
    return { number, error: sentError(error) };
  }
}

/** An error as it is sent from a thread: a copy of the class's own would lose its code. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Null for what isn't an AnchorEvalError. */
  readonly code: AnchorEvalErrorCode | null;
  readonly issues: readonly Issue[];
}

export function sentError(thrown: unknown): SentError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack } = error;
  const { code, issues } = error instanceof AnchorEvalError ? error : { code: null, issues: [] };
  return { name, message, stack, code, issues };
}

/** The error that was thrown in the thread, with its code and the stack that it had there. */
export function receivedError({ name, message, stack, code, issues }: SentError): Error {
  const error = code === null ? new Error(message) : new AnchorEvalError(code, message, { issues });
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

/**
 * Keeps a thread from being ended amid native code, which would end the whole process: ONNX Runtime aborts when it comes
 * back into a thread that is going. Two words that a thread shares with its pool: whether it is to stop, and in how many
 * sections it is.
 */
type ThreadLock = Int32Array;

/** The words of a lock. */
export const [STOP, INSIDE] = [0, 1];
/** Between two looks at the lock. @unit milliseconds */
const PAUSE = 2;

/**
 * The pool's side: from now on the thread enters no section.
 * @param gone - whether the thread has ended by itself
 * @returns when it is in none, and may be ended
 */
async function untilOutside(lock: ThreadLock, gone: () => boolean): Promise<void> {
  Atomics.store(lock, STOP, 1);
  while (Atomics.load(lock, INSIDE) > 0 && !gone()) await wait(PAUSE);
}

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
 * `say` sends a note on the way, `ask` a question to the caller
 */
export function answerInputs(
  compute: (input: never, say: (note: unknown) => void, ask: (question: unknown) => Promise<unknown>) => unknown,
): void {
  const port = parentPort!;
  const reply = (message: ThreadReply<unknown, unknown>): void => port.postMessage(message);
  const open = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  const askAt = (index: number) => (question: unknown) =>
    new Promise((resolve, reject) => {
      open.set(++asked, { resolve, reject });
      reply({ index, question, number: asked });
    });
  port.on("message", (message: ThreadInput | ThreadAnswer) => {
    if ("number" in message) {
      const { resolve, reject } = open.get(message.number)!;
      open.delete(message.number); // answers are large
      if ("error" in message) reject(receivedError(message.error));
      else resolve(message.answer);
      return;
    }
    const { index, input } = message;
    void (async () => {
      try {
        reply({ index, output: await compute(input as never, (note) => reply({ index, note }), askAt(index)) });
      } catch (error) {
        reply({ index, error: sentError(error) });
      }
    })();
  });
}

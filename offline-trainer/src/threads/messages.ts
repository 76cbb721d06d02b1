import { setTimeout as wait } from "node:timers/promises";
import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval/internal/core/errors";

/** Data that a pool gives a thread at its start. */
export interface ThreadStart {
  readonly data: unknown;
  readonly lock: ThreadLock;
}

/** An input as it is sent to a thread. */
export interface ThreadInput {
  readonly index: number;
  readonly input: unknown;
}

/** A thread's reply to an input: notes on the way, and in the end its output or its error. */
export type ThreadReply<Output, Note> = { readonly index: number } & (
  { readonly note: Note } | { readonly output: Output } | { readonly error: SentError }
);

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
export async function untilOutside(lock: ThreadLock, gone: () => boolean): Promise<void> {
  Atomics.store(lock, STOP, 1);
  while (Atomics.load(lock, INSIDE) > 0 && !gone()) await wait(PAUSE);
}

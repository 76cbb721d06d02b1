import type { SentError } from "./sent-error.ts";
import type { ThreadLock } from "./thread-lock.ts";

/** What a pool gives a thread at its start. */
export interface ThreadStart {
  readonly data: unknown;
  readonly lock: ThreadLock;
}

/** An input as it is sent to a thread. */
export interface ThreadInput {
  readonly index: number;
  readonly input: unknown;
}

/** What a thread says of an input: a note on the way, and in the end its output or what went wrong. */
export type ThreadReply<Output, Note> = { readonly index: number } & (
  { readonly note: Note } | { readonly output: Output } | { readonly error: SentError }
);

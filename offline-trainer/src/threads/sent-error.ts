import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval/core";

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

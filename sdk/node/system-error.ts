import { getSystemErrorMap } from "node:util";
import { AnchorEvalError } from "../core/errors.ts";

/**
 * Why the system refused something, in words and with its code.
 * @example systemReason(error) // "no space left on device (ENOSPC)"
 */
export function systemReason(cause: unknown): string {
  const { code, errno, message } = cause as Partial<NodeJS.ErrnoException>;
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  if (words === undefined || code === undefined) return message ?? String(cause);
  return code === "EISDIR" ? "it is a folder (EISDIR)" : `${words} (${code})`;
}

/** True for an error of the system of one of these codes. @example hasCode(error, "ENOENT", "ENOTDIR") */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as Partial<NodeJS.ErrnoException> | null)?.code ?? "");
}

/** The error for what can't be written, with the reason; one that says it already stays. */
export function unwritable(path: string, cause: unknown): AnchorEvalError {
  return unavailable(path, "written", cause);
}

/** The error for what can't be read, with the reason; one that says it already stays. */
export function unreadable(path: string, cause: unknown): AnchorEvalError {
  return unavailable(path, "read", cause);
}

function unavailable(path: string, done: string, cause: unknown): AnchorEvalError {
  if (cause instanceof AnchorEvalError) return cause;
  return new AnchorEvalError("unavailable", `${path} could not be ${done}: ${systemReason(cause)}`, { cause });
}

import { AnchorEvalError } from "anchoreval/core";

/**
 * ONNX Runtime's own failure, in one line. Some providers fail when a session is made, others at its first run.
 * @param what - `could not start its cuda provider`
 */
export function runtimeError(what: string, cause: unknown): AnchorEvalError {
  return new AnchorEvalError("unavailable", `ONNX Runtime ${what}: ${plainReason(cause)}`, { cause });
}

/** The first line of a failure's message, without the place in ONNX Runtime's sources that some begin with. */
export function plainReason(cause: unknown): string {
  const [line] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return line!.replace(/^.*\.(?:cc|h|cpp):\d+ .*? was false\. /, "");
}

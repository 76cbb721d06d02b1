import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { InferenceSession, Tensor } from "onnxruntime-node";

/** ONNX Runtime itself, of the caller: `onnxruntime-node`, or `onnxruntime-web` in Node and browsers. */
export type OnnxRuntime = Pick<typeof import("onnxruntime-node"), "InferenceSession" | "Tensor">;

/** Opens a model on one thread. @param locations - of outputs that stay on the device @throws AnchorEvalError `unavailable` where the provider doesn't start */
export function openSession(
  runtime: OnnxRuntime,
  provider: string,
  model: Uint8Array,
  locations: Readonly<Record<string, "gpu-buffer">> = {},
): Promise<InferenceSession> {
  return runtime.InferenceSession.create(model, {
    executionProviders: [provider],
    logSeverityLevel: 4,
    intraOpNumThreads: 1,
    ...(Object.keys(locations).length > 0 && { preferredOutputLocation: locations }),
  }).catch((cause: unknown) => {
    throw runtimeError(`could not start its ${provider} provider`, cause);
  });
}

/** @param outputs - that are written over. @default new ones @throws AnchorEvalError `unavailable` where the provider fails */
export function runSession(
  session: InferenceSession,
  provider: string,
  feeds: Readonly<Record<string, Tensor>>,
  outputs?: Readonly<Record<string, Tensor>>,
): Promise<InferenceSession.OnnxValueMapType> {
  return (outputs ? session.run(feeds, outputs) : session.run(feeds)).catch((cause: unknown) => {
    throw runtimeError(`failed on its ${provider} provider`, cause);
  });
}

/** ONNX Runtime's own failure, in one line. @param what - `could not start its cuda provider` */
export function runtimeError(what: string, cause: unknown): AnchorEvalError {
  return new AnchorEvalError("unavailable", `ONNX Runtime ${what}: ${plainReason(cause)}`, { cause });
}

/** The first line of a failure's message, without the place in ONNX Runtime's sources that some begin with. */
export function plainReason(cause: unknown): string {
  const [line] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return line!.replace(/^.*\.(?:cc|h|cpp):\d+ .*? was false\. /, "");
}

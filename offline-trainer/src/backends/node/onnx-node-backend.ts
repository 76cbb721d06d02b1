import { availableParallelism } from "node:os";
import * as runtime from "onnxruntime-node";
import type { CalibrationBackend } from "../../calibrate/types.ts";
import { onnxBackend, type OnnxBackendOptions } from "../onnx/onnx-backend.ts";
import { openThread } from "./thread-runner.ts";

export interface OnnxNodeBackendOptions extends Omit<OnnxBackendOptions, "threads"> {
  /** Threads of the CPU provider. Results don't depend on it. @default one a core */
  readonly threads?: number;
}

// A provider that does not start is reported by its error, not on standard error besides.
runtime.env.logLevel = "fatal";

/** Calibration on ONNX Runtime's build for Node; the CPU's blocks are shared by threads. */
export function onnxNodeBackend({ threads, ...options }: OnnxNodeBackendOptions): CalibrationBackend {
  if (options.provider !== "cpu") return onnxBackend(runtime, options);
  return onnxBackend(runtime, {
    ...options,
    threads: { count: threads ?? availableParallelism(), open: openThread },
  });
}

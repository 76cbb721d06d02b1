import * as wasm from "onnxruntime-web/wasm";
import * as webgpu from "onnxruntime-web/jspi";
import { onnxBackend } from "../src/backends/onnx/onnx-backend.ts";
import { probeBackend } from "../src/backends/probe-backend.ts";
import { typescriptBackend } from "../src/backends/typescript.ts";
import type { CalibrationBackend } from "../src/calibrate/types.ts";
import type { FitRequest } from "./messages.ts";

// Two builds of ONNX Runtime: the one with WebGPU needs a browser whose WebAssembly can wait for promises (JSPI), and has
// no float64. Both are the Worker's own assets.
for (const [runtime, file] of [
  [wasm, "ort-wasm-simd-threaded.wasm"],
  [webgpu, "ort-wasm-simd-threaded.jspi.wasm"],
] as const) {
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = { wasm: new URL(`/onnx/${file}`, location.href).href };
  runtime.env.logLevel = "fatal";
}

/** Cells of a leaderboard for which a device is worth the compiling of its kernels. Not measured on real devices. */
const DEVICE_CELLS = 1 << 21;

/**
 * Chooses what calibrates in this browser: WebGPU where there is one and the leaderboard is large, else WebAssembly in
 * float64, which is the same everywhere.
 * @throws AnchorEvalError `unavailable` where what was asked for by name doesn't start
 */
export async function browserBackend(
  provider: FitRequest["provider"],
  cells: number,
): Promise<{ readonly backend: CalibrationBackend; readonly reason: string }> {
  const onWasm = onnxBackend(wasm, { provider: "wasm", precision: "float64" });
  if (provider === "webgpu" || (provider === "auto" && cells >= DEVICE_CELLS)) {
    try {
      const backend = onnxBackend(webgpu, { provider: "webgpu", finish: typescriptBackend });
      await probeBackend(backend, { keep: true });
      return { backend, reason: `ONNX Runtime on WebGPU: ${provider === "auto" ? "found" : "asked for"}` };
    } catch (error) {
      if (provider === "webgpu") throw error;
    }
  }
  await probeBackend(onWasm, { keep: true });
  const why = provider === "wasm" ? "asked for" : cells < DEVICE_CELLS ? "a small leaderboard" : "no WebGPU here";
  return { backend: onWasm, reason: `ONNX Runtime on WebAssembly: ${why}` };
}

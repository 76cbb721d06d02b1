import { parseManifest } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { FitReply, FitRequest } from "anchoreval/internal/features/sdk-page";
import * as webgpu from "onnxruntime-web/jspi";
import * as wasm from "onnxruntime-web/wasm";
import { onnxBackend } from "../src/backends/onnx/onnx-backend.ts";
import { probeBackend } from "../src/backends/probe-backend.ts";
import { typescriptBackend } from "../src/backends/typescript.ts";
import type { CalibrationBackend } from "../src/calibrate/types.ts";
import { checkAnchors } from "../src/fit/form-plans.ts";
import { readName } from "../src/fit/options.ts";
import { closingWords } from "../src/fit/closing-words.ts";
import { bundleFiles, fit as fitBundle } from "../src/fit/fit.ts";
import { readResponses } from "../src/matrix/read-responses.ts";
import { dropFile } from "./instead-of-node.ts";

/** The part of a web worker's global scope that is used here. */
declare const self: {
  onmessage: ((event: { readonly data: FitRequest }) => void) | null;
  postMessage(reply: FitReply): void;
};

self.onmessage = ({ data }) => {
  fit(data).catch((error: unknown) => {
    const refused = error instanceof AnchorEvalError;
    if (!refused) console.error(error);
    self.postMessage({
      kind: "failed",
      code: refused ? error.code : null,
      message: error instanceof Error ? error.message : String(error),
      issues: refused ? error.issues : [],
    });
  });
};

/** `anchoreval fit` in a browser: the same code and the same files, except for the report. */
async function fit({ responses, items, anchors, seed, provider, ...request }: FitRequest): Promise<void> {
  const name = readName(`${request.benchmark}@${request.version}`);
  for (const file of [responses, items]) if (file) dropFile(file.name, file);
  const { matrix, remarks } = await readResponses(responses.name, items ? { items: items.name } : {});
  for (const message of remarks) self.postMessage({ kind: "remark", message });
  checkAnchors(anchors, matrix.items);
  const { backend, reason } = await browserBackend(provider, matrix.subjects.length * matrix.items.length);
  self.postMessage({ kind: "remark", message: reason });
  const result = await fitBundle(matrix, {
    ...name,
    created: `${new Date(responses.lastModified).toISOString().slice(0, 19)}Z`,
    sizes: anchors,
    seed,
    backend,
    onProgress: (done, of, note) => self.postMessage({ kind: "progress", share: done / of, note }),
  });
  const files = bundleFiles(result);
  const manifest = parseManifest(files.get("manifest.json")!); // nothing is handed out that a reader would refuse
  self.postMessage({
    kind: "done",
    files: Array.from(files, ([file, bytes]) => [file, new Uint8Array(bytes)] as const),
    words: closingWords(manifest),
  });
}

// Two builds of ONNX Runtime, both served as assets of the Worker. The one with WebGPU needs a browser whose WebAssembly
// can wait for promises (JSPI), and has no float64.
for (const [runtime, file] of [
  [wasm, "ort-wasm-simd-threaded.wasm"],
  [webgpu, "ort-wasm-simd-threaded.jspi.wasm"],
] as const) {
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = { wasm: new URL(`/onnx/${file}`, location.href).href };
  runtime.env.logLevel = "fatal";
}

/** Cells of a leaderboard from which a device is worth compiling its kernels. Not measured on real devices. */
const DEVICE_CELLS = 1 << 21;

/**
 * Chooses the backend in this browser: WebGPU if there is one and the leaderboard is large, else WebAssembly in float64,
 * whose results are the same everywhere.
 * @throws AnchorEvalError `unavailable` if a provider that was requested by name doesn't start
 */
async function browserBackend(
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

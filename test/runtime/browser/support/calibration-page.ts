import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  calibrate,
  onnxBackend,
  typescriptBackend,
  type CalibrateOptions,
  type Calibration,
  type Objective,
  type Parameters,
  type CodedResponses,
} from "anchoreval-trainer/calibrate";
import * as wasm from "onnxruntime-web/wasm";
import * as webgpu from "onnxruntime-web/webgpu";
import {
  objectiveGraph,
  type ObjectiveGraphOptions,
} from "../../../../offline-trainer/src/backends/onnx/objective-graph.ts";

/** A backend of the page, by what it is made of. */
export interface PageBackend {
  readonly provider: "wasm" | "webgpu";
  readonly precision: "float32" | "float64";
  readonly blockCells?: number;
  /** Finished in float64 by plain TypeScript. */
  readonly finished?: boolean;
}

/** What a test drives the page by; everything that goes in and out is plain data. */
interface CalibrationPage {
  /** @returns a number for `evaluate` and `dispose` */
  open(backend: PageBackend, responses: CodedResponses, dims: number): Promise<number>;
  evaluate(objective: number, at: Parameters): Promise<{ value: number; gradient: Parameters }>;
  dispose(objective: number): Promise<void>;
  /** The whole calibration, in the page. */
  calibrate(
    backend: PageBackend,
    responses: CodedResponses,
    options: Omit<CalibrateOptions, "backend" | "random"> & { readonly seed: number },
  ): Promise<Calibration>;
  /** The graph as the page writes it. */
  graph(options: ObjectiveGraphOptions): Uint8Array;
}

declare global {
  interface Window {
    calibration: CalibrationPage;
  }
}

// Two builds of ONNX Runtime: the one with WebGPU has no float64.
for (const [runtime, file] of [
  [wasm, "ort-wasm-simd-threaded.wasm"],
  [webgpu, "ort-wasm-simd-threaded.asyncify.wasm"],
] as const) {
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = { wasm: `/${file}` };
  runtime.env.logLevel = "fatal";
}

const objectives = new Map<number, Objective>();
let opened = 0;

const backendOf = ({ finished, ...options }: PageBackend): CalibrateOptions["backend"] =>
  onnxBackend(options.provider === "wasm" ? wasm : webgpu, {
    ...options,
    ...(finished && { finish: typescriptBackend }),
  });

window.calibration = {
  open: async (backend, responses, dims) => {
    objectives.set(++opened, await backendOf(backend).open(responses, dims));
    return opened;
  },
  evaluate: async (objective, at) => {
    const gradient = {
      theta: new Float64Array(at.theta.length),
      a: new Float64Array(at.a.length),
      b: new Float64Array(at.b.length),
    };
    return { value: await objectives.get(objective)!.evaluate(at, gradient), gradient };
  },
  dispose: async (objective) => {
    await objectives.get(objective)!.dispose();
    objectives.delete(objective);
  },
  graph: objectiveGraph,
  calibrate: (backend, responses, { seed, ...options }) =>
    calibrate(responses, { ...options, backend: backendOf(backend), random: createRandom(seed) }),
};

import type { CodedResponses } from "../matrix/code-responses.ts";
/** Free parameters of a calibration, or a gradient of the same shape. */
export interface Parameters {
  /** Abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Discriminations, N×D row-major. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
}

/** The data part of a calibration's objective on one device. */
export interface Objective {
  /**
   * Negative log-likelihood over the observed cells: −Σ log σ(s·(a·θ − b)), s the sign of the answer.
   * @param gradient - filled with its derivatives
   * @returns the value, in nats
   */
  evaluate(at: Parameters, gradient: Parameters): Promise<number>;
  /** The gradient alone, where that takes less time. */
  slopes?(at: Parameters, gradient: Parameters): Promise<void>;
  dispose(): Promise<void>;
}

/** Something that evaluates objectives, and distances: plain TypeScript, ONNX Runtime on CPU or CUDA, … */
export interface CalibrationBackend {
  /** For people and for the manifest: `typescript`, `onnxruntime-cpu`, `onnxruntime-cuda`, … */
  readonly name: string;
  readonly precision: "float32" | "float64";
  /**
   * Goes on from the end of the last round, where this one's precision ends: in float64, on another device. A part of
   * the backend, since who chooses a device chooses this with it.
   */
  readonly finish?: CalibrationBackend;
  open(responses: CodedResponses, dims: number): Promise<Objective>;
}

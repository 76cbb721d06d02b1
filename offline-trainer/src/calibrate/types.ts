/**
 * Coded responses of a calibration, item by item: `signs[m·N + i]` is +1 for right, −1 for wrong, 0 for missing.
 */
export interface CodedResponses {
  /** Models M. */
  readonly subjects: number;
  /** Items N. */
  readonly items: number;
  readonly signs: Int8Array;
}

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
   * Negative log-likelihood −Σ log σ(s·(a·θ − b)) over the observed cells.
   * @param gradient - filled with its derivatives
   * @returns the value, in nats
   */
  evaluate(at: Parameters, gradient: Parameters): Promise<number>;
  dispose(): Promise<void>;
}

/** Something that evaluates objectives: plain TypeScript, ONNX Runtime on CPU or CUDA, … */
export interface CalibrationBackend {
  /** For people and for the manifest: `typescript`, `onnxruntime-cpu`, `onnxruntime-cuda`, … */
  readonly name: string;
  /** Precision of value and gradient. */
  readonly precision: "float32" | "float64";
  open(responses: CodedResponses, dims: number): Promise<Objective>;
}

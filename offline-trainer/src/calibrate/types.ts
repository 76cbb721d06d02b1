/**
 * Coded responses of a calibration, model by model: `signs[m·N + i]` is +1 for right, −1 for wrong, 0 for missing.
 */
export interface CodedResponses {
  /** Models M. */
  readonly subjects: number;
  /** Items N. */
  readonly items: number;
  readonly signs: Int8Array;
}

/** How a score in [0,1] is distributed about its mean P = σ(a·θ − b). */
export const LINKS = ["bernoulli", "gaussian"] as const;

/** A distribution of graded scores, by name. */
export type Link = (typeof LINKS)[number];

/** Scores of a calibration, model by model, each with a weight. */
export interface GradedResponses {
  /** Models M. */
  readonly subjects: number;
  /** Items N. */
  readonly items: number;
  /** y in [0,1]: `scores[m·N + i]`; any number where the weight is 0. */
  readonly scores: Float32Array;
  /** w ≥ 0 of every cell, 0 where missing: a model's weight times an item's, over the item's dispersion. */
  readonly weights: Float32Array;
  /**
   * `bernoulli`: −w·(y·log P + (1−y)·log(1−P)), the soft-label (quasi-)likelihood; `gaussian`: w·(y − P)²/2.
   * @see Papke & Wooldridge (1996), Journal of Applied Econometrics 11, 619–632 (fractional responses)
   */
  readonly link: Link;
}

/** What a calibration is fitted to. */
export type Responses = CodedResponses | GradedResponses;

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
   * Negative log-likelihood over the observed cells: −Σ log σ(s·(a·θ − b)) of coded responses, the link's of graded
   * ones.
   * @param gradient - filled with its derivatives
   * @returns the value, in nats
   */
  evaluate(at: Parameters, gradient: Parameters): Promise<number>;
  dispose(): Promise<void>;
}

/** Something that evaluates objectives, and distances: plain TypeScript, ONNX Runtime on CPU or CUDA, … */
export interface CalibrationBackend {
  /** For people and for the manifest: `typescript`, `onnxruntime-cpu`, `onnxruntime-cuda`, … */
  readonly name: string;
  /** Precision of value and gradient. */
  readonly precision: "float32" | "float64";
  /**
   * Goes on from the end of the last round, where this one's precision ends: in float64, on another device. A part of
   * the backend, since who chooses a device chooses this with it.
   */
  readonly finish?: CalibrationBackend;
  open(responses: Responses, dims: number): Promise<Objective>;
}

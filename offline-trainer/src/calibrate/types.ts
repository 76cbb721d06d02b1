import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import type { CodedResponses } from "../matrix/code-responses.ts";
import type { LbfgsOptions, LbfgsResult } from "./lbfgs.ts";

/** Free parameters of a calibration, or a gradient of the same shape. */
export interface Parameters {
  /** Abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Discriminations, N×D row-major. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
}

/** Means and variances of the hierarchical priors. */
export interface Scales {
  readonly aMean: Float64Array;
  readonly aVariance: Float64Array;
  readonly bMean: number;
  readonly bVariance: number;
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

/** One round of a calibration: what is minimised beside the data's part, from where, and until when. */
export interface Round extends Pick<LbfgsOptions, "maxEvaluations" | "tolerance"> {
  readonly scales: Scales;
  readonly prior: AbilityPrior;
  /** Diagonal of an approximate Hessian: L-BFGS's initial scaling. */
  readonly scaling: Parameters;
  /** 1 where an item keeps its parameters, N numbers; null where none does. */
  readonly isFixed: Uint8Array | null;
}

/** Rounds of a calibration of one matrix. */
export interface Optimizer {
  /**
   * Minimises the penalised negative log-likelihood as `minimizeLbfgs` does, step by step.
   * @param at - where the round begins; overwritten with where it ends
   */
  optimize(at: Parameters, round: Round): Promise<LbfgsResult>;
  dispose(): Promise<void>;
}

/** Whole rounds on a device: the responses cross once, parameters once a round. */
export interface DeviceOptimizer extends Optimizer {
  /** Of the device's memory, about. */
  readonly bytes: number;
  /**
   * Rounds of some models alone, as if the others' answers weren't there: what they are changes no bit. Parameters are of
   * these models; it lives as long as this one does.
   * @param rows - the models' rows, each once
   */
  among(rows: ArrayLike<number>): Optimizer;
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
  /** The same on the caller's thread alone, where it uses others, too. */
  readonly alone?: CalibrationBackend;
  open(responses: CodedResponses, dims: number): Promise<Objective>;
  /**
   * Where a device does whole rounds; calibrations then hear a signal and tell their progress between rounds.
   * @throws AnchorEvalError `unavailable` where the matrix doesn't fit into the device's memory
   */
  openOptimizer?(responses: CodedResponses, dims: number): Promise<DeviceOptimizer>;
}

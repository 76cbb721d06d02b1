/**
 * Calibration alone, for every JavaScript runtime: nothing of Node, no dependency but `anchoreval`. Whoever calls brings
 * ONNX Runtime along, or calibrates in plain TypeScript.
 * @module anchoreval-trainer/calibrate
 */
export { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
export type { OnnxBackendOptions } from "./backends/onnx/onnx-backend.ts";
export { onnxBackend } from "./backends/onnx/onnx-backend.ts";
export type { EvaluationArrays, LaneRunner, LaneTask } from "./backends/onnx/block-runner.ts";
export type { OnnxRuntime } from "./backends/onnx/session.ts";
export { probeBackend, type ProbeOptions } from "./backends/probe-backend.ts";
export { typescriptBackend } from "./backends/typescript.ts";
export {
  calibrate,
  type CalibrateOptions,
  type Calibration,
  type CalibrationState,
  type CalibrationStep,
} from "./calibrate/calibrate.ts";
export type { FixedItems } from "./calibrate/calibrate.ts";
export type {
  CalibrationBackend,
  DeviceOptimizer,
  Objective,
  Optimizer,
  Parameters,
  Round,
  Scales,
} from "./calibrate/types.ts";
export type { CodedResponses } from "./matrix/code-responses.ts";
export type { BlockLayout } from "./backends/onnx/block-runner.ts";

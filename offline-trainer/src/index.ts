/**
 * Fits, back-tests, audits and publishes bundles, in Node.
 * @module anchoreval-trainer
 */
export { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
export { type Provider, PROVIDERS, resolveBackend, type ResolvedBackend } from "./backends/resolve-backend.ts";
export type { CalibrationWork } from "./calibrate/calibration-work.ts";
export { calibrate, type CalibrateOptions, type Calibration, type CalibrationStep } from "./calibrate/calibrate.ts";
export type {
  CalibrationBackend,
  DeviceOptimizer,
  Objective,
  Optimizer,
  Parameters,
  Round,
} from "./calibrate/types.ts";
export type { CodedResponses } from "./matrix/code-responses.ts";
export * from "../../features/fit.ts";
export { closingWords } from "./fit/closing-words.ts";
export type { ErrorPolicy } from "anchoreval/internal/logs/attempts";
export type { DuplicatePolicy } from "anchoreval/internal/logs/select-runs";
export { readItemTable, type ItemTable } from "./matrix/item-table.ts";
export { readItems } from "./matrix/items-file.ts";
export { readResponses, type ReadResponsesOptions, type Responses } from "./matrix/read-responses.ts";
export { writeItems } from "./matrix/write-tables.ts";
export { writeWideCsv } from "./matrix/write-tables.ts";
export { groupItems } from "./matrix/response-matrix.ts";
export {
  isBinary,
  responseMatrix,
  scoreAt,
  submatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "./matrix/response-matrix.ts";
export { readBundleFolder, writeBundleFolder } from "anchoreval/internal/node/bundle-folder";
export {
  type AnchorInput,
  type AnchorMethod,
  byAccuracy,
  type ChosenAnchors,
  type PreparedAnchors,
  type SampleCoordination,
  type ValueSource,
} from "./anchors/anchor-method.ts";
export { bundleFiles, fit, type Fit } from "./fit/fit.ts";
export type { FoldThreads } from "./fit/folds.ts";
export type { BundleDescription, FitOptions, FitPart } from "./fit/options.ts";
export { equalShares } from "./methods/chosen-items.ts";
export { customised, loadAnchorMethod, loadMethod, METHOD_NAMES, type MethodName } from "./methods/index.ts";
export { type Method, methodDigest, recommended } from "./methods/method.ts";
export { DEFAULT_SETTINGS, type FitSettings } from "./methods/settings.ts";
export { itemTexts, textFeatures } from "./numeric/text-features.ts";

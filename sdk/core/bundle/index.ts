/**
 * The format of bundles: reading, writing, checking, content hashes.
 * @module anchoreval/bundle
 */
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "../errors.ts";
export {
  formItemIds,
  itemWeights,
  servedBlend,
  type Bundle,
  type BundleForm,
  type BundleScenario,
  type BundleSource,
  type ByteRange,
} from "./bundle.ts";
export { decodeBundle, type BundleParts } from "./decode.ts";
export { contentHash, formDigest, hexOf, sha256Hex, sha256Text, type ItemContent } from "./digest.ts";
export { encodeBundle, type BundleContent, type ColdStartContent, type ScenarioContent } from "./encode.ts";
export {
  SCHEMAS,
  type AnchorRecord,
  type BankManifest,
  type BaseManifest,
  type BridgeManifest,
  type ColdItemRecord,
  type ColdStartManifest,
  type ColdStartScenario,
  type ErrorSummary,
  type ExposureManifest,
  type FileManifest,
  type FormManifest,
  type FormScenarioManifest,
  type ItemRecord,
  type Manifest,
  type MapManifest,
  type MeasuredBlend,
  type MeasuredErrors,
  type ScenarioManifest,
  type ScoreMapManifest,
  type SegmentManifest,
  type SplitErrors,
} from "./manifest.ts";
export {
  BENCHMARK_NAME,
  blobKey,
  BUNDLE_FILES,
  compareVersions,
  ERROR_LEVELS,
  FORM_ID,
  FORMAT_VERSION,
  idProblem,
  indexKey,
  IRT_MODELS,
  isAccessScope,
  isStable,
  manifestKey,
  plainSignatureKey,
  SHA256,
  signatureKey,
  VERSION,
  WEIGHTINGS,
  yankedKey,
  type BundleFileName,
  type IrtModel,
  type Weighting,
} from "./names.ts";
export { parseManifest } from "./parse-manifest.ts";
export { decodeRouting, type RoutingContent } from "./routing-file.ts";
export {
  decodeSafetensorsHeader,
  encodeSafetensors,
  tensorData,
  type SafetensorsHeader,
  type Tensor,
  type TensorData,
  type TensorEntry,
} from "./safetensors.ts";
export type { Fields, Infer, Schema, SchemaNode } from "./schema.ts";
export {
  encodeSignatures,
  mergeSignatures,
  parseSignatures,
  PUBLIC_KEY,
  SIGNATURE_FILE,
  type ManifestSignature,
} from "./signature.ts";

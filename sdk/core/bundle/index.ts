/**
 * The format of bundles: reading, writing, checking, content hashes.
 * @module anchoreval/bundle
 */
export { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "../errors.ts";
export { formItemIds, itemWeights, servedBlend, type Bundle, type BundleForm, type BundleScenario } from "./bundle.ts";
export { contentHash, type ItemContent } from "./digest.ts";
export { decodeBundle, type BundleParts } from "./decode.ts";
export { hexOf, sha256Hex, sha256Text } from "./digest.ts";
export { encodeBundle, type BundleContent, type ColdStartContent, type ScenarioContent } from "./encode.ts";
export { formDigest } from "./digest.ts";
export * from "./manifest.ts";
export {
  BENCHMARK_NAME,
  compareVersions,
  FORM_ID,
  idProblem,
  isAccessScope,
  isStable,
  SHA256,
  VERSION,
} from "./names.ts";
export { blobKey, indexKey, manifestKey, plainSignatureKey, signatureKey, yankedKey } from "./names.ts";
export { parseManifest } from "./parse-manifest.ts";
export { decodeRouting, type RoutingContent } from "./routing-file.ts";
export {
  decodeSafetensorsHeader,
  encodeSafetensors,
  type SafetensorsHeader,
  type Tensor,
  tensorData,
  type TensorData,
  type TensorEntry,
} from "./safetensors.ts";
export {
  encodeSignatures,
  mergeSignatures,
  parseSignatures,
  PUBLIC_KEY,
  SIGNATURE_FILE,
  type ManifestSignature,
} from "./signature.ts";
export type { BundleSource, ByteRange } from "./bundle.ts";

/**
 * The format of bundles: reading, writing, checking, content hashes; publication to a store.
 * @module anchoreval/bundle
 */
export {
  formItemIds,
  type Bundle,
  type BundleForm,
  type BundleScenario,
  type BundleSource,
  type ByteRange,
} from "./core/bundle/bundle.ts";
export { contentHash } from "./core/bundle/digest.ts";
export { encodeBundle, type BundleContent, type ScenarioContent } from "./core/bundle/encode.ts";
export type { AnchorRecord, Manifest } from "./core/bundle/manifest.ts";
export type { BundleFileName } from "./core/bundle/names.ts";
export { parseManifest } from "./bundles/parse-manifest.ts";
export type { BundleStore } from "./bundles/bundle-store.ts";
export { r2Store, type R2StoreBucket } from "./bundles/r2-store.ts";
export * from "../features/sdk-bundle.ts";

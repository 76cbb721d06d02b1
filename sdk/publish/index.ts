/**
 * Publication of a bundle to a store, withdrawal of versions, sweeps.
 * @module anchoreval/publish
 */
export {
  completeIndex,
  parseIndex,
  parseYank,
  type BundleIndex,
  type IndexEntry,
  type UpdateOptions,
  type Yank,
} from "./bundle-index.ts";
export type { BundleStore, SweepableStore } from "./bundle-store.ts";
export {
  commitVersion,
  isCommitted,
  yankVersion,
  type PublishResult,
  type VersionCommit,
  type YankOptions,
} from "./versions.ts";
export { publishBundle, putSignatures, type PublishOptions } from "./publish-bundle.ts";
export { publishToWorker, type PublishToWorkerOptions } from "./publish-to-worker.ts";
export { r2Store, sweepableR2Store, type R2Listing, type R2StoreBucket, type R2SweepBucket } from "./r2-store.ts";
export { SWEEP_AGE, sweepBlobs, type SweepOptions, type SweepResult } from "./sweep-blobs.ts";

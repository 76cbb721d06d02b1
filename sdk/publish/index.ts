/**
 * Publication of a bundle to a store, withdrawal of versions, sweeps.
 * @module anchoreval/publish
 */
export { completeIndex, parseIndex, type BundleIndex, type IndexEntry } from "./bundle-index.ts";
export type { BundleStore, SweepableStore } from "./bundle-store.ts";
export { commitVersion, isCommitted, type PublishResult, type VersionCommit } from "./versions.ts";
export { publishBundle, type PublishOptions } from "./publish-bundle.ts";
export { publishToWorker, type PublishToWorkerOptions } from "./publish-to-worker.ts";
export { putSignatures } from "./publish-bundle.ts";
export { type R2Listing, r2Store, type R2StoreBucket, type R2SweepBucket, sweepableR2Store } from "./r2-store.ts";
export { SWEEP_AGE, sweepBlobs, type SweepOptions, type SweepResult } from "./sweep-blobs.ts";
export { yankVersion, type YankOptions } from "./versions.ts";
export { parseYank, type Yank } from "./bundle-index.ts";
export type { UpdateOptions } from "./bundle-index.ts";

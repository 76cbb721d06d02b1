export { completeIndex, parseIndex, type BundleIndex, type IndexEntry } from "./bundle-index.ts";
export type { BundleStore } from "./bundle-store.ts";
export { commitVersion, type PublishResult, type VersionCommit } from "./commit-version.ts";
export { publishBundle, type PublishOptions } from "./publish-bundle.ts";
export { publishToWorker, type PublishToWorkerOptions } from "./publish-to-worker.ts";
export { putSignatures } from "./put-signatures.ts";
export { r2Store, type R2StoreBucket } from "./r2-store.ts";
export { yankVersion, type YankOptions } from "./yank-version.ts";
export type { UpdateOptions } from "./update-index.ts";

export { completeIndex, parseIndex, type BundleIndex, type IndexEntry } from "./bundle-index.ts";
export type { BundleStore } from "./bundle-store.ts";
export { publishBundle, type PublishOptions, type PublishResult } from "./publish-bundle.ts";
export { r2Store, type R2StoreBucket } from "./r2-store.ts";

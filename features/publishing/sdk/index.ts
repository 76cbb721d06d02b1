/** Publication to a store or a Worker. */
export { publishBundle, type PublishOptions } from "./publish-bundle.ts";
export { publishToWorker, type PublishToWorkerOptions } from "./publish-to-worker.ts";
export { yankVersion, type PublishResult } from "./versions.ts";

import { BundleReader, type BundleCaches } from "./bundles/bundle-reader.ts";
import type { Env } from "./env.ts";
import { consumeJobs } from "./jobs/consume-jobs.ts";
import { batchBundle } from "./routes/batch-bundle.ts";

/** Carries out messages of the queue of jobs, with what the isolate keeps. */
export function consumeQueue(
  batch: Pick<MessageBatch, "queue" | "messages">,
  { BUNDLES }: Pick<Env, "BUNDLES">,
  context: Pick<ExecutionContext, "waitUntil">,
  caches: BundleCaches,
  now: () => number = Date.now,
): Promise<void> {
  const bundles = new BundleReader(BUNDLES, caches, (work) => context.waitUntil(work));
  return consumeJobs({ bucket: BUNDLES, open: (ref) => batchBundle(bundles, ref), now }, batch);
}

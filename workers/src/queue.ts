import type { BundleCaches } from "./bundles/bundle-caches.ts";
import { BundleReader } from "./bundles/bundle-reader.ts";
import { STORAGE_DEADLINE, withDeadline } from "./bundles/storage-deadline.ts";
import type { Env } from "./env.ts";
import { consumeJobs } from "./jobs/consume-jobs.ts";
import { Phases } from "./observe/phases.ts";
import { warnedBundle } from "./routes/warned-bundle.ts";

/** Carries out messages of the queue of jobs, with what the isolate keeps. */
export function consumeQueue(
  batch: Pick<MessageBatch, "queue" | "messages">,
  { BUNDLES }: Pick<Env, "BUNDLES">,
  context: Pick<ExecutionContext, "waitUntil">,
  caches: BundleCaches,
  now: () => number = Date.now,
): Promise<void> {
  const bucket = withDeadline(BUNDLES, STORAGE_DEADLINE);
  const bundles = new BundleReader({
    bucket,
    caches,
    contents: null,
    isProtected: () => true,
    phases: new Phases(now),
    keepAlive: (work) => context.waitUntil(work),
    deadline: STORAGE_DEADLINE,
  });
  return consumeJobs({ bucket, open: (ref) => warnedBundle(bundles, ref), now }, batch);
}

import type { BatchBundle } from "../batch/estimate-model.ts";
import type { BundleRef } from "anchoreval";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { HttpProblem } from "../problem.ts";
import { jobStatus } from "./job-status.ts";
import { parseResultsKey, readJob, resultsKey } from "./job.ts";
import { giveUpShard, runShard } from "./run-shard.ts";

export interface Consumer {
  readonly bucket: BundleBucket;
  readonly open: (ref: BundleRef) => Promise<BatchBundle>;
  readonly now: () => number;
}

/** Queues with this ending hold what failed too often. */
const DEAD = "-dead";

/** Longest wait before a message comes again. @unit seconds */
const LONGEST_WAIT = 300;

/**
 * Carries out messages of a queue, each by itself: one that fails comes again later, and in the end lands in the queue of
 * dead letters, where its models get a problem instead of a result. Order and repetition don't matter.
 */
export async function consumeJobs(
  consumer: Consumer,
  { queue, messages }: Pick<MessageBatch, "queue" | "messages">,
): Promise<void> {
  for (const message of messages) {
    try {
      await carryOut(consumer, message.body, queue.endsWith(DEAD));
      message.ack();
    } catch (error) {
      console.error(error);
      message.retry({ delaySeconds: Math.min(5 * 2 ** (message.attempts - 1), LONGEST_WAIT) });
    }
  }
}

async function carryOut({ bucket, open, now }: Consumer, body: unknown, dead: boolean): Promise<void> {
  const named = parseResultsKey(body);
  if (named === null) {
    console.error("a message that names no results was dropped");
    return;
  }
  const { id, shard } = named;
  const job = await readJob(bucket, id, now()).catch((error: unknown) => {
    if (error instanceof HttpProblem) return null; // expired
    throw error;
  });
  if (job?.shards[shard] === undefined) return;
  if ((await bucket.head(resultsKey(id, shard))) === null) {
    if (dead) await giveUpShard(bucket, job, shard);
    else await runShard(bucket, job, shard, () => open(job));
  }
  await jobStatus(bucket, job);
}

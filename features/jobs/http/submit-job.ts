import { AnchorEvalError } from "anchoreval";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import { putStream, type Storage } from "../../../workers/src/bundles/upload.ts";
import type { JobQueue } from "../../../workers/src/platform/env.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import {
  createOnce,
  JOB_LIFETIME,
  jobKey,
  requestsKey,
  resultsKey,
  splitShards,
  type Job,
  type SplitLimits,
} from "./job.ts";

interface Submission extends Pick<Job, "benchmark" | "version" | "digest"> {
  readonly body: ReadableStream;
  /** Length of the body. */
  readonly bytes: number;
  readonly limits: SplitLimits;
  /** Counts the models against the caller, once it is known how many they are. */
  readonly spend: (models: number) => Promise<void>;
  readonly now: number;
}

/** Most messages that a queue accepts at once. */
const MESSAGES = 100;

/**
 * Stores the requests of a job, then the job, then queues its shards. A submission that breaks off earlier is no job, as
 * nobody has been told its id.
 * @throws HttpProblem `payload_too_large`, `content_mismatch`, `invalid_request` without models, `rate_limited`; AnchorEvalError `unavailable`
 */
export async function submitJob(
  storage: Storage,
  queue: JobQueue,
  { body, bytes, limits, spend, now, ...bundle }: Submission,
): Promise<Omit<Job, "shards">> {
  const id = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  const { inspect, end } = splitShards(limits);
  try {
    await putStream(storage, requestsKey(id), { bytes, body, inspect });
  } catch (cause) {
    if (cause instanceof HttpProblem) throw cause;
    throw new AnchorEvalError("unavailable", "the R2 bucket could not write the requests of a job", { cause });
  }
  const shards = end();
  const models = shards.reduce((sum, shard) => sum + shard.models, 0);
  if (models === 0) throw new HttpProblem("invalid_request", "at least one model is needed, one per line");
  await spend(models);
  const created = new Date(now).toISOString();
  const expires = new Date(now + JOB_LIFETIME).toISOString();
  const described = { id, ...bundle, created, expires, models };
  const job = JSON.stringify({ ...described, shards } satisfies Job);
  await createOnce(storage.bucket, jobKey(id), new TextEncoder().encode(job));
  try {
    for (let from = 0; from < shards.length; from += MESSAGES)
      await queue.sendBatch(shards.slice(from, from + MESSAGES).map((_, k) => ({ body: resultsKey(id, from + k) })));
  } catch (cause) {
    throw new AnchorEvalError("unavailable", "the queue did not accept the whole job: send it again", { cause });
  }
  return described;
}

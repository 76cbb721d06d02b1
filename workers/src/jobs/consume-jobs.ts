import { AnchorEvalError, type BatchLine, type BundleRef } from "anchoreval";
import { estimateLine, jsonLine, modelName, textLines } from "../batch.ts";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import type { BundleCaches } from "../bundles/bundle-caches.ts";
import { BundleReader, type WarnedBundle } from "../bundles/bundle-reader.ts";
import { STORAGE_DEADLINE, withDeadline } from "../deadline.ts";
import type { Env } from "../env.ts";
import { Phases } from "../observe.ts";
import { HttpProblem } from "../problem.ts";
import { createOnce, jobStatus, parseResultsKey, readJob, requestsKey, resultsKey, type Job } from "./job.ts";

/** Queues with this suffix hold messages that failed too often. */
const DEAD = "-dead";

/** Longest delay before a message is retried. @unit seconds */
const LONGEST_DELAY = 300;

interface Consumer {
  readonly bucket: BundleBucket;
  readonly open: (ref: BundleRef) => Promise<WarnedBundle>;
  readonly now: () => number;
}

/**
 * Handles messages of the jobs' queue one by one. A message that fails is retried later, and finally moved to the queue of
 * dead letters, where its models get a problem instead of a result. Order and repetition don't matter.
 */
export async function consumeQueue(
  { queue, messages }: Pick<MessageBatch, "queue" | "messages">,
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
  const consumer: Consumer = { bucket, open: (ref) => bundles.warnedBundle(ref), now };
  for (const message of messages) {
    try {
      await handleMessage(consumer, message.body, queue.endsWith(DEAD));
      message.ack();
    } catch (error) {
      console.error(error);
      message.retry({ delaySeconds: Math.min(5 * 2 ** (message.attempts - 1), LONGEST_DELAY) });
    }
  }
}

async function handleMessage({ bucket, open, now }: Consumer, body: unknown, dead: boolean): Promise<void> {
  const parsed = parseResultsKey(body);
  if (parsed === null) {
    console.error("a message that names no results was dropped");
    return;
  }
  const { id, shard } = parsed;
  const job = await readJob(bucket, id, now()).catch((error: unknown) => {
    if (error instanceof HttpProblem) return null; // expired
    throw error;
  });
  if (job?.shards[shard] === undefined) return;
  if ((await bucket.head(resultsKey(id, shard))) === null) {
    if (dead) await abandonShard(bucket, job, shard);
    else await runShard(bucket, job, shard, await open(job));
  }
  await jobStatus(bucket, job);
}

/**
 * Estimates the models of a shard. Its results are created once, by whoever is first, so a repeated message changes
 * nothing.
 * @throws AnchorEvalError `unavailable`; `bundle_corrupt` if the bundle is not the job's
 */
async function runShard(bucket: BundleBucket, job: Job, shard: number, opened: WarnedBundle): Promise<void> {
  if (opened.bundle.digest !== job.digest)
    throw new AnchorEvalError("bundle_corrupt", `${job.benchmark}@${job.version} is no longer ${job.digest}`);
  await writeResults(bucket, job, shard, (line, index) => estimateLine(opened, line, index));
}

/** Ends a shard that failed too often: each of its models gets this problem. */
async function abandonShard(bucket: BundleBucket, job: Job, shard: number): Promise<void> {
  const problem = {
    code: "unavailable",
    detail: "this part of the job failed every time it was tried: send these models again",
    issues: [],
  };
  await writeResults(bucket, job, shard, (line, index) => ({ index, model: modelNameOfLine(line), problem }));
}

function modelNameOfLine(line: string): string | null {
  try {
    return modelName(JSON.parse(line));
  } catch {
    return null;
  }
}

async function writeResults(
  bucket: BundleBucket,
  job: Job,
  shard: number,
  resultOf: (line: string, index: number) => BatchLine,
): Promise<void> {
  const { first, models } = job.shards[shard]!;
  const requests = await readRequests(bucket, job, shard);
  const lines = requests.map((line, k) => resultOf(line, first + k));
  const results = lines.filter((line) => "estimate" in line).length;
  const bytes = new Uint8Array(await new Blob(lines.map(jsonLine)).arrayBuffer());
  await createOnce(bucket, resultsKey(job.id, shard), bytes, {
    results: String(results),
    problems: String(models - results),
  });
}

async function readRequests(bucket: BundleBucket, { id, shards }: Job, shard: number): Promise<string[]> {
  const { begin, end, models } = shards[shard]!;
  let lines: string[] | undefined;
  let cause: unknown;
  try {
    const object = await bucket.get(requestsKey(id), { range: { offset: begin, length: end - begin } });
    lines = object ? textLines(await object.arrayBuffer()) : [];
  } catch (error) {
    cause = error;
  }
  if (lines?.length === models) return lines;
  throw new AnchorEvalError("unavailable", `the R2 bucket could not read the requests of job ${id}`, { cause });
}

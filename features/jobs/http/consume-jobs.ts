import { AnchorEvalError, type AnyEstimate, type BatchLine } from "anchoreval";
import { fileBound } from "anchoreval/internal/bundles/read-file";
import { readObject } from "anchoreval/internal/bundles/body";
import { onBucket } from "anchoreval/internal/bundles/r2-store";
import { estimateLine, jsonLine, modelName, textLines } from "../../../workers/src/routes/batch.ts";
import type { BundleBucket, Env } from "../../../workers/src/platform/env.ts";
import type { BundleCaches } from "../../../workers/src/bundles/bundle-caches.ts";
import { BundleReader } from "../../../workers/src/bundles/bundle-reader.ts";
import { bundleStorage } from "../../../workers/src/bundles/shipped-bucket.ts";
import { STORAGE_DEADLINE } from "../../../workers/src/platform/deadline.ts";
import { Phases } from "../../../workers/src/platform/observe.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import { createOnce, jobStatus, parseResultsKey, readJob, requestsKey, resultsKey, type Job } from "./job.ts";

/** Queues with this suffix hold messages that failed too often. */
const DEAD = "-dead";

/** Longest delay before a message is retried. @unit seconds */
const LONGEST_DELAY = 300;

/**
 * Handles messages of the jobs' queue one by one. A message that fails is retried later, and finally moved to the queue of
 * dead letters, where its models get a problem instead of a result. Order and repetition don't matter.
 */
export async function consumeQueue(
  { queue, messages }: Pick<MessageBatch, "queue" | "messages">,
  env: Pick<Env, "BUNDLES" | "SHIPPED" | "TRUSTED_KEYS">,
  context: Pick<ExecutionContext, "waitUntil">,
  caches: BundleCaches,
  now: () => number = Date.now,
): Promise<void> {
  const keepAlive = (work: Promise<unknown>): void => context.waitUntil(work);
  const { bucket, shipped } = bundleStorage(env, caches.shipped, STORAGE_DEADLINE, keepAlive);
  const bundles = new BundleReader({
    bucket,
    caches,
    shipped,
    contents: null,
    isProtected: () => true,
    phases: new Phases(now),
    keepAlive,
    deadline: STORAGE_DEADLINE,
  });
  for (const message of messages) {
    try {
      await handleMessage(bucket, bundles, message.body, { dead: queue.endsWith(DEAD), now: now() });
      message.ack();
    } catch (error) {
      console.error(error);
      message.retry({ delaySeconds: Math.min(5 * 2 ** (message.attempts - 1), LONGEST_DELAY) });
    }
  }
}

/** @throws AnchorEvalError `unavailable`; `bundle_corrupt` if the bundle is no longer the job's */
async function handleMessage(
  bucket: BundleBucket,
  bundles: BundleReader,
  body: unknown,
  { dead, now }: { dead: boolean; now: number },
): Promise<void> {
  const parsed = parseResultsKey(body);
  if (parsed === null) {
    console.error("a message that names no results was dropped");
    return;
  }
  const { id, shard } = parsed;
  const job = await readJob(bucket, id, now).catch((error: unknown) => {
    if (error instanceof HttpProblem) return null; // expired
    throw error;
  });
  if (job?.shards[shard] === undefined) return;
  if ((await bucket.head(resultsKey(id, shard))) === null)
    await writeResults(bucket, job, shard, dead ? abandonLine : await estimator(bundles, job));
  await jobStatus(bucket, job);
}

type ResultOf = (line: string, index: number) => BatchLine<AnyEstimate> | Promise<BatchLine<AnyEstimate>>;

async function estimator(bundles: BundleReader, { benchmark, version, digest }: Job): Promise<ResultOf> {
  const opened = await bundles.open({ benchmark, version });
  if (opened.bundle.digest !== digest)
    throw new AnchorEvalError("bundle_corrupt", `${benchmark}@${version} is no longer ${digest}`);
  return (line, index) => estimateLine(opened, line, index);
}

/** The problem of the models of a shard that failed too often. */
const ABANDONED = {
  code: "unavailable",
  detail: "this part of the job failed every time it was tried: send these models again",
  issues: [],
};

function abandonLine(line: string, index: number): BatchLine {
  let model: string | null = null;
  try {
    model = modelName(JSON.parse(line));
  } catch {
    // a line that is no JSON names no model
  }
  return { index, model, problem: ABANDONED };
}

/** Creates the results of a shard once, whoever is first, so that a repeated message changes nothing. */
async function writeResults(bucket: BundleBucket, job: Job, shard: number, resultOf: ResultOf): Promise<void> {
  const { first, models } = job.shards[shard]!;
  const requests = await readRequests(bucket, job, shard);
  const lines: BatchLine<AnyEstimate>[] = [];
  for (const [k, line] of requests.entries()) lines.push(await resultOf(line, first + k));
  const results = lines.filter((line) => "estimate" in line).length;
  const bytes = await readObject(new Blob(lines.map(jsonLine)), fileBound("a job", resultsKey(job.id, shard)));
  const counts = { results: String(results), problems: String(models - results) };
  await createOnce(bucket, resultsKey(job.id, shard), bytes, counts);
}

function readRequests(bucket: BundleBucket, { id, shards }: Job, shard: number): Promise<string[]> {
  const { begin, end, models } = shards[shard]!;
  return onBucket(`read the requests of job ${id}`, async () => {
    const key = requestsKey(id);
    const object = await bucket.get(key, { range: { offset: begin, length: end - begin } });
    const bytes = object && (await readObject(object, fileBound("a job", key), { begin, end }));
    const lines = bytes ? textLines(new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes)) : [];
    if (lines.length !== models) throw new Error(`${lines.length} of ${models} lines are there`);
    return lines;
  });
}

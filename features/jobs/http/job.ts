import type { JobStatus } from "anchoreval";
import { atMost, readObject } from "anchoreval/internal/bundles/body";
import type { BundleBucket } from "../../../workers/src/platform/env.ts";
import { onBucket } from "anchoreval/internal/bundles/r2-store";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";

/** A part of a job's requests, estimated together. */
interface Shard {
  /** Byte range in the requests, end exclusive. */
  readonly begin: number;
  readonly end: number;
  readonly first: number;
  readonly models: number;
}

/** job.json, written once when the requests are stored. */
export interface Job {
  readonly id: string;
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  /** ISO 8601. */
  readonly created: string;
  readonly expires: string;
  readonly models: number;
  readonly shards: readonly Shard[];
}

/** Longest job.json: that of sixty thousand shards. @unit bytes */
const MOST_JOB_BYTES = 1 << 22;

/** How long a job can be read. @unit milliseconds */
export const JOB_LIFETIME = 7 * 24 * 3600 * 1000;

/** A job's id: 128 random bits, lowercase hex. Anyone who knows it may read the job. */
export const JOB_ID = /^[0-9a-f]{32}$/;

export const jobKey = (id: string): string => `jobs/${id}/job.json`;
export const requestsKey = (id: string): string => `jobs/${id}/requests.jsonl`;
/** `jobs/<id>/results/`: lists the finished shards. */
const resultsPrefix = (id: string): string => `jobs/${id}/results/`;
/** `jobs/<id>/results/<shard>`: the result lines of one shard, numbered with five digits. */
export const resultsKey = (id: string, shard: number): string =>
  `${resultsPrefix(id)}${String(shard).padStart(5, "0")}`;
/** `jobs/<id>/summary.json`: written when all shards are done. */
export const summaryKey = (id: string): string => `jobs/${id}/summary.json`;

/** The job and shard that a key of results names; null for anything else. */
export function parseResultsKey(key: unknown): { readonly id: string; readonly shard: number } | null {
  const [, id, shard] = (typeof key === "string" && /^jobs\/([0-9a-f]{32})\/results\/(\d{5})$/.exec(key)) || [];
  return id === undefined ? null : { id, shard: Number(shard) };
}

/**
 * Reads a job.
 * @returns null if there is none
 * @throws AnchorEvalError `unavailable`; HttpProblem `job_expired` (410)
 */
export async function readJob(bucket: BundleBucket, id: string, now: number): Promise<Job | null> {
  const job = await readJson<Job>(bucket, jobKey(id));
  if (job !== null && now >= Date.parse(job.expires))
    throw new HttpProblem("job_expired", `the job expired on ${job.expires}: submit it again`);
  return job;
}

function readJson<T>(bucket: BundleBucket, key: string): Promise<T | null> {
  return onBucket(`read ${key}`, async () => {
    const object = await bucket.get(key);
    return object && (JSON.parse(new TextDecoder().decode(await readObject(object, atMost(MOST_JOB_BYTES, key)))) as T);
  });
}

/** Writes an object; false if one exists, and nothing was written. @throws AnchorEvalError `unavailable` */
export function createOnce(
  bucket: BundleBucket,
  key: string,
  bytes: Uint8Array,
  customMetadata: Record<string, string> = {},
): Promise<boolean> {
  const options = { onlyIf: { etagDoesNotMatch: "*" }, customMetadata };
  return onBucket(`write ${key}`, async () => (await bucket.put(key, bytes, options)) !== null);
}

interface JobSummary {
  readonly results: number;
  readonly problems: number;
}

/**
 * The progress of a job. Whoever first finds results of all shards writes the summary: the consumer of the last shard, or
 * a reader if that consumer died.
 * @throws AnchorEvalError `unavailable`
 */
export async function jobStatus(bucket: BundleBucket, job: Job): Promise<JobStatus> {
  const { shards, ...description } = job;
  const summary = await readJson<JobSummary>(bucket, summaryKey(job.id));
  if (summary) return { ...description, state: "done", ...summary };
  const { done, ...counts } = await countResults(bucket, job.id);
  if (done < shards.length) return { ...description, state: "running", ...counts };
  await createOnce(bucket, summaryKey(job.id), new TextEncoder().encode(JSON.stringify(counts)));
  return { ...description, state: "done", ...counts };
}

function countResults(bucket: BundleBucket, id: string): Promise<JobSummary & { done: number }> {
  return onBucket(`list the results of job ${id}`, async () => {
    let [done, results, problems] = [0, 0, 0];
    let next: { cursor?: string } | null = {};
    while (next !== null) {
      const page: Awaited<ReturnType<BundleBucket["list"]>> = await bucket.list({
        prefix: resultsPrefix(id),
        include: ["customMetadata"],
        ...next,
      });
      done += page.objects.length;
      for (const { customMetadata = {} } of page.objects) {
        results += Number(customMetadata["results"]);
        problems += Number(customMetadata["problems"]);
      }
      next = page.truncated ? { cursor: page.cursor } : null;
    }
    return { done, results, problems };
  });
}

export interface SplitLimits {
  readonly shardModels: number;
  readonly jobModels: number;
  /** Longest line, and longest shard of more than one line. @unit bytes */
  readonly bytes: number;
}

const LINE_END = 0x0a;
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0d, 0x20]);

/**
 * Finds the shards of a body of lines as it passes, without keeping any of it. Every line that isn't blank is a model.
 * @throws HttpProblem `payload_too_large` from `inspect` once a limit is exceeded
 */
export function splitShards(limits: SplitLimits): { inspect: (part: Uint8Array) => void; end: () => Shard[] } {
  const shards: Shard[] = [];
  let [begin, first, models] = [0, 0, 0]; // of the open shard
  let [at, lineBegin, blank] = [0, 0, true];
  const close = (end: number): void => {
    if (models > 0) shards.push({ begin, end, first, models });
    [begin, first, models] = [end, first + models, 0];
  };
  const endLine = (end: number): void => {
    if (end - lineBegin > limits.bytes) throw lineTooLong(limits.bytes);
    if (!blank) {
      if (first + models === limits.jobModels)
        throw new HttpProblem("payload_too_large", `a job has at most ${limits.jobModels} models here`);
      if (end - begin > limits.bytes) close(lineBegin);
      if (++models === limits.shardModels) close(end);
    }
    [lineBegin, blank] = [end, true];
  };
  return {
    inspect: (part) => {
      for (let from = 0; from < part.length;) {
        const end = part.indexOf(LINE_END, from);
        const to = end < 0 ? part.length : end;
        for (let k = from; blank && k < to; k++) blank = BLANKS.has(part[k]!);
        if (end >= 0) endLine(at + end + 1);
        from = to + 1;
      }
      at += part.length;
      if (at - lineBegin > limits.bytes) throw lineTooLong(limits.bytes);
    },
    end: () => {
      endLine(at);
      close(at);
      return shards;
    },
  };
}

function lineTooLong(bytes: number): HttpProblem {
  return new HttpProblem("payload_too_large", `a line has at most ${bytes} bytes here`);
}

import { AnchorEvalError, type JobStatus } from "anchoreval";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { HttpProblem } from "../problem.ts";

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

/** How long a job can be read. @unit milliseconds */
export const JOB_LIFETIME = 7 * 24 * 3600 * 1000;

/** A job's id: 128 random bits, lowercase hex. Anyone who knows it may read the job. */
export const JOB_ID = /^[0-9a-f]{32}$/;

/** `jobs/<id>/job.json` */
export const jobKey = (id: string): string => `jobs/${id}/job.json`;
/** `jobs/<id>/requests.jsonl` */
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

export function newJobId(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
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

/** Reads a JSON object of the bucket; null if there is none. @throws AnchorEvalError `unavailable` */
async function readJson<T>(bucket: BundleBucket, key: string): Promise<T | null> {
  try {
    const object = await bucket.get(key);
    return object && (JSON.parse(new TextDecoder().decode(await object.arrayBuffer())) as T);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `the R2 bucket could not read ${key}`, { cause });
  }
}

/**
 * Writes an object unless it exists.
 * @returns false if it exists: nothing was written
 * @throws AnchorEvalError `unavailable`
 */
export async function createOnce(
  bucket: BundleBucket,
  key: string,
  bytes: Uint8Array,
  customMetadata: Record<string, string> = {},
): Promise<boolean> {
  try {
    return (await bucket.put(key, bytes, { onlyIf: { etagDoesNotMatch: "*" }, customMetadata })) !== null;
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `the R2 bucket could not write ${key}`, { cause });
  }
}

/** summary.json: the outcome of a job. */
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
  const description = describeJob(job);
  const { id } = job;
  const summary = await readJson<JobSummary>(bucket, summaryKey(id));
  if (summary) return { ...description, state: "done", ...summary };
  const { shards, ...counts } = await countResults(bucket, id);
  if (shards < job.shards.length) return { ...description, state: "running", ...counts };
  await createOnce(bucket, summaryKey(id), new TextEncoder().encode(JSON.stringify(counts)));
  return { ...description, state: "done", ...counts };
}

/** The fields of a job's status that never change. */
export function describeJob({ id, benchmark, version, digest, created, expires, models }: Job) {
  return { id, benchmark, version, digest, created, expires, models };
}

async function countResults(bucket: BundleBucket, id: string): Promise<JobSummary & { shards: number }> {
  let [shards, results, problems] = [0, 0, 0];
  let cursor: string | undefined;
  try {
    do {
      const page = await bucket.list({
        prefix: resultsPrefix(id),
        include: ["customMetadata"],
        ...(cursor !== undefined && { cursor }),
      });
      for (const { customMetadata = {} } of page.objects) {
        shards++;
        results += Number(customMetadata["results"]);
        problems += Number(customMetadata["problems"]);
      }
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `the R2 bucket could not list the results of job ${id}`, { cause });
  }
  return { shards, results, problems };
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
        const found = part.indexOf(LINE_END, from);
        const to = found < 0 ? part.length : found;
        for (let k = from; blank && k < to; k++) blank = BLANKS.has(part[k]!);
        if (found >= 0) endLine(at + found + 1);
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

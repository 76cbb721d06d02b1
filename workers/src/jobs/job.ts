import { AnchorEvalError } from "anchoreval";
import { hexOf } from "anchoreval/bundle";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { HttpProblem } from "../problem.ts";

/** Models of a job that are estimated together: a part of its requests. */
export interface Shard {
  /** Bytes of the requests, end exclusive. */
  readonly begin: number;
  readonly end: number;
  /** Index of its first model. */
  readonly first: number;
  readonly models: number;
}

/** job.json: what was asked. It is written once, when the requests are stored, and never changes. */
export interface Job {
  readonly id: string;
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle. */
  readonly digest: string;
  /** ISO 8601. */
  readonly created: string;
  readonly expires: string;
  readonly models: number;
  readonly shards: readonly Shard[];
}

/** How long a job can be read. @unit milliseconds */
export const JOB_LIFETIME = 7 * 24 * 3600 * 1000;

/** A job's id: 128 random bits, lowercase hex. Whoever knows it may read the job. */
export const JOB_ID = /^[0-9a-f]{32}$/;

/** `jobs/<id>/job.json` */
export const jobKey = (id: string): string => `jobs/${id}/job.json`;
/** `jobs/<id>/requests.jsonl` */
export const requestsKey = (id: string): string => `jobs/${id}/requests.jsonl`;
/** `jobs/<id>/results/`: what a listing of the finished shards begins with. */
export const resultsPrefix = (id: string): string => `jobs/${id}/results/`;
/** `jobs/<id>/results/<shard>`: the lines of one shard, five digits. */
export const resultsKey = (id: string, shard: number): string =>
  `${resultsPrefix(id)}${String(shard).padStart(5, "0")}`;
/** `jobs/<id>/summary.json`: there once all shards are. */
export const summaryKey = (id: string): string => `jobs/${id}/summary.json`;

/** The job and shard that a key of results names; null for anything else. */
export function parseResultsKey(key: unknown): { readonly id: string; readonly shard: number } | null {
  const [, id, shard] = (typeof key === "string" && /^jobs\/([0-9a-f]{32})\/results\/(\d{5})$/.exec(key)) || [];
  return id === undefined ? null : { id, shard: Number(shard) };
}

/** A new id. */
export function newJobId(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
}

/**
 * Reads a job.
 * @returns null where there is none
 * @throws AnchorEvalError `unavailable`; HttpProblem `job_expired` (410)
 */
export async function readJob(bucket: BundleBucket, id: string, now: number): Promise<Job | null> {
  const job = await readJson<Job>(bucket, jobKey(id));
  if (job !== null && now >= Date.parse(job.expires))
    throw new HttpProblem("job_expired", `the job expired ${job.expires}: send it again`);
  return job;
}

/** Reads a JSON object of the bucket, null where none is. @throws AnchorEvalError `unavailable` */
export async function readJson<T>(bucket: BundleBucket, key: string): Promise<T | null> {
  try {
    const object = await bucket.get(key);
    return object && (JSON.parse(new TextDecoder().decode(await object.arrayBuffer())) as T);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `the R2 bucket could not read ${key}`, { cause });
  }
}

/**
 * Writes what nobody has written yet.
 * @returns false where it is there already: nothing was written
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

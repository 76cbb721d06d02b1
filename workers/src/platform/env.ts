import type { R2Listing, R2StoreBucket } from "anchoreval/internal/bundles/r2-store";
import type { FeatureEnv } from "../../../features/http-settings.ts";

/** The bindings, variables and secrets of the Worker: see wrangler.toml and docs/deploy.md. */
export interface Env extends FeatureEnv {
  readonly BUNDLES: BundleBucket;
  /** The static files, among which are the bundles that come along; without it there are none of these. */
  readonly SHIPPED?: ShippedFiles;
  /** Longest request body. @unit bytes @default 1 MiB */
  readonly MAX_REQUEST_BYTES?: number;
  /** Longest file of a bundle that may be uploaded. @unit bytes @default 100 MB */
  readonly MAX_BLOB_BYTES?: number;
  /** Counts requests; without it there is no rate limit. */
  readonly LIMITER?: RateLimiter;
  /** Whether every request is logged; text when set in the dashboard. Errors are always logged. @default false */
  readonly LOG_REQUESTS?: boolean | string;
  /** JSON array of `TokenRecord`, a secret. Without it nobody has a token. */
  readonly TOKENS?: string;
  /** Benchmarks, comma-separated, that can be read only with a token; `*` for all. */
  readonly PROTECTED_BENCHMARKS?: string;
  /** Most models that one request, or one message of a job, estimates. @default 5, for 10 ms of CPU */
  readonly MAX_BATCH_MODELS?: number | string;
  /** The queue of jobs; without it there are none (501). */
  readonly JOBS?: JobQueue;
  /** Whether anyone may submit jobs, or only who has a token; text when set in the dashboard. @default false */
  readonly OPEN_JOBS?: boolean | string;
  /** Most models of a job. @default 200 times MAX_BATCH_MODELS */
  readonly MAX_JOB_MODELS?: number | string;
  /** Longest body of a job. @unit bytes @default 10 MB */
  readonly MAX_JOB_BYTES?: number | string;
}

/** The platform's rate limit binding. It counts in each colo separately. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>;
}

/** Cloudflare's Queue of jobs. A message is the key of the results that are wanted. */
export interface JobQueue {
  sendBatch(messages: Iterable<{ readonly body: string }>): Promise<unknown>;
}

/** Static files of this deployment: the binding SHIPPED, Cloudflare's assets. */
export interface ShippedFiles {
  fetch(url: string): Promise<Response>;
}

/** R2's description of an object. */
export interface StoredObject {
  readonly size: number;
  readonly uploaded: Date;
  /** SHA-256 that R2 verified when the object was written; absent if it was written without one. */
  readonly checksums: { readonly sha256?: ArrayBuffer };
}

/** The part of an R2Bucket that the Worker uses. */
export interface BundleBucket extends R2StoreBucket {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{
    readonly etag: string;
    /** Of the whole object, also where a range of it is read. */
    readonly size: number;
    readonly body: ReadableStream;
    arrayBuffer(): Promise<ArrayBuffer>;
  } | null>;
  head(key: string): Promise<StoredObject | null>;
  put(
    key: string,
    value: Uint8Array,
    options: {
      onlyIf: { etagMatches: string } | { etagDoesNotMatch: string };
      customMetadata?: Record<string, string>;
    },
  ): Promise<object | null>;
  /** Writes a stream of known length. With `sha256`, R2 refuses any other content. */
  put(key: string, value: ReadableStream, options: { sha256?: string }): Promise<object | null>;
  list(options: { prefix: string; delimiter: string; cursor?: string }): Promise<R2Listing>;
  /** Lists with the objects' custom metadata. */
  list(options: {
    prefix: string;
    include: ["customMetadata"];
    cursor?: string;
  }): Promise<R2Listing<{ readonly customMetadata?: Record<string, string> }>>;
}

import type { FeatureEnv } from "../../../features/http-settings.ts";
import type { BundleBucket } from "./bundle-bucket.ts";

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

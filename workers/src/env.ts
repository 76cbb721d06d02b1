import type { AdaptiveSettings } from "./adaptive/session-keys.ts";
import type { AccessSettings, Caller } from "./auth/caller.ts";
import type { BundleBucket } from "./bundles/bundle-bucket.ts";
import type { RateLimiter } from "./auth/limit-rate.ts";
import type { BundleReader } from "./bundles/bundle-reader.ts";
import type { JobQueue } from "./jobs/submit-job.ts";
import type { Phases } from "./observe/phases.ts";
import type { RequestNotes } from "./observe/request-notes.ts";

/** The bindings and variables of wrangler.toml. */
export interface Env extends AccessSettings, AdaptiveSettings {
  /** Published bundles. */
  readonly BUNDLES: BundleBucket;
  /** Longest request body. @unit bytes @default 1 MiB */
  readonly MAX_REQUEST_BYTES?: number;
  /** Longest file of a bundle that is uploaded. @unit bytes @default 100 MB */
  readonly MAX_BLOB_BYTES?: number;
  /** Counts requests; without it there is no limit. */
  readonly LIMITER?: RateLimiter;
  /** Whether each request gets a line in the log; as text where it was set in the dashboard. Errors always do. @default false */
  readonly LOG_REQUESTS?: boolean | string;
  /** Public keys (base64url, comma-separated), one of which must have signed what is published here. @default any bundle */
  readonly TRUSTED_KEYS?: string;
  /** Most models that one request, or one message of a job, estimates. @default 5, for 10 ms of CPU */
  readonly MAX_BATCH_MODELS?: number | string;
  /** The queue of jobs; without it there are none (501). */
  readonly JOBS?: JobQueue;
  /** Most models of a job. @default 200 times MAX_BATCH_MODELS */
  readonly MAX_JOB_MODELS?: number | string;
  /** Longest body of a job. @unit bytes @default 10 MB */
  readonly MAX_JOB_BYTES?: number | string;
}

/** What Hono's context carries. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** The bucket, every wait for it with an end. */
    bucket: BundleBucket;
    /** Longest wait for one answer of the bucket, or a piece of a body. @unit milliseconds */
    deadline: number;
    /** The published bundles, as this request may read them. */
    bundles: BundleReader;
    /** Its id, in the answer and in logs. */
    requestId: string;
    /** What it waited for. */
    phases: Phases;
    /** What the log shall say of it. */
    notes: RequestNotes;
    /** The clock, in milliseconds. */
    now: () => number;
    /** Who asks. */
    caller: Caller;
  };
}

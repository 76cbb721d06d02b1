import type { Caller } from "../auth/access.ts";
import type { Meter } from "../auth/rate-limit.ts";
import type { BundleBucket } from "../platform/bundle-bucket.ts";
import type { BundleReader } from "../bundles/bundle-reader.ts";
import type { Env } from "../platform/env.ts";
import type { Observed } from "../platform/observe.ts";
import type { Settings } from "../platform/settings.ts";

export interface AppEnv {
  Bindings: Env;
  Variables: Observed & {
    settings: Settings;
    /** The bucket, with the deadline for every wait. */
    bucket: BundleBucket;
    /** Longest wait for one answer of the bucket, or for a piece of a body. @unit milliseconds */
    deadline: number;
    /** The published bundles, as this request may read them. */
    bundles: BundleReader;
    /** The clock, in milliseconds. */
    now: () => number;
    caller: Caller;
    /** Counts what a request costs beyond itself. */
    meter: Meter;
  };
}

import type { AdaptiveSettings } from "./adaptive/session-keys.ts";
import type { AccessSettings, Caller } from "./auth/caller.ts";
import type { BundleBucket } from "./bundles/bundle-bucket.ts";
import type { BundleReader } from "./bundles/bundle-reader.ts";

/** The bindings and variables of wrangler.toml. */
export interface Env extends AccessSettings, AdaptiveSettings {
  /** Published bundles. */
  readonly BUNDLES: BundleBucket;
  /** Longest request body. @unit bytes @default 1 MiB */
  readonly MAX_REQUEST_BYTES?: number;
  /** Longest file of a bundle that is uploaded. @unit bytes @default 100 MB */
  readonly MAX_BLOB_BYTES?: number;
}

/** What Hono's context carries. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** The published bundles, as this request may read them. */
    bundles: BundleReader;
    /** The clock. @unit milliseconds since 1970 */
    now: () => number;
    /** Who asks. */
    caller: Caller;
  };
}

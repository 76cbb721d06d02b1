import type { R2StoreBucket } from "anchoreval/publish";
import type { BundleReader } from "./bundles/bundle-reader.ts";

/** The bindings and variables of wrangler.toml. */
export interface Env {
  /** Published bundles. */
  readonly BUNDLES: BundleBucket;
  /** Longest request body. @unit bytes @default 1 MiB */
  readonly MAX_REQUEST_BYTES?: number;
}

/** The part of an R2Bucket that the Worker uses. */
export interface BundleBucket extends R2StoreBucket {
  get(
    key: string,
    options?: { range?: { offset: number; length: number } },
  ): Promise<{
    readonly etag: string;
    readonly body: ReadableStream;
    arrayBuffer(): Promise<ArrayBuffer>;
  } | null>;
}

/** What Hono's context carries. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** The published bundles, as this request may read them. */
    bundles: BundleReader;
  };
}

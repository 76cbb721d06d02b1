import type { R2StoreBucket } from "anchoreval/publish";

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

import type { R2StoreBucket } from "anchoreval/publish";

/** What R2 says of an object without sending it. */
export interface StoredObject {
  /** Length. @unit bytes */
  readonly size: number;
  /** SHA-256 that R2 checked when the object was written; absent where it was written without one. */
  readonly checksums: { readonly sha256?: ArrayBuffer };
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
  head(key: string): Promise<StoredObject | null>;
  put(
    key: string,
    value: Uint8Array,
    options: { onlyIf: { etagMatches: string } | { etagDoesNotMatch: string } },
  ): Promise<object | null>;
  /** Writes a stream of known length, if it has this SHA-256: R2 computes it. */
  put(key: string, value: ReadableStream, options: { sha256: string }): Promise<object | null>;
}

import type { R2Listing, R2StoreBucket } from "anchoreval/internal/publish/r2-store";

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

import type { BundleFileName } from "./manifest.ts";

/** A byte range, end exclusive. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
}

/** Where a bundle's files are read from: HTTP, an R2 bucket, a folder. Implementations don't check digests: loadBundle does. */
export interface BundleSource {
  /** For messages: a URL, a key prefix, a folder. */
  readonly name: string;
  /**
   * Bytes of one file, or of a part of it.
   * @returns null where the file doesn't exist
   * @throws AnchorEvalError `unavailable` where storage or network failed
   */
  read(file: BundleFileName, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<Uint8Array | null>;
  /** manifest.sig, null where there is none. A source without this has no signatures. */
  readSignatures?(options?: { signal?: AbortSignal }): Promise<Uint8Array | null>;
}

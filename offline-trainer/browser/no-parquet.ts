// What the reader of Parquet is to the trainer in Node: the build puts this file in its place, and leaves the decoders of
// Parquet out. Such a file is told by its first bytes, and refused by name (`blobChunks`).

export function isParquet(): boolean {
  return false;
}

/** Never called. */
export function readParquetTable(): void {}

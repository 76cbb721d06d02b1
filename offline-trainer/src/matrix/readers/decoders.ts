// The decoders of Parquet, imported where such a file is read and not before: most commands, and most fits in a browser
// (where the build makes a file of its own of this one), never need them.
export { parquetMetadataAsync, parquetScan, parquetSchema } from "hyparquet";
export { compressors } from "hyparquet-compressors";

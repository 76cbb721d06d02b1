import type { FormatReaders } from "anchoreval/node";
import { decompress } from "fzstd";
import { parquetRows } from "./matrix/readers/parquet.ts";

/** Formats of harnesses' logs that the SDK doesn't read by itself. */
export const FORMATS: FormatReaders = { unzstd: decompress, readParquet: parquetRows };

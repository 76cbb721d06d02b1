import type { FormatReaders } from "anchoreval/internal/node/logs/log-files";
import { decompress } from "fzstd";
import { parquetRows } from "./parquet.ts";

/** Formats of harnesses' logs that the SDK doesn't read by itself. */
export const FORMATS: FormatReaders = { unzstd: decompress, readParquet: parquetRows };

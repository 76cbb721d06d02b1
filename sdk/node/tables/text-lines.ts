import { chunkLines } from "../../tables/chunk-lines.ts";
import type { LineBatch } from "../../tables/line-batch.ts";
import { fileChunks } from "./file-chunks.ts";

/**
 * The lines of a UTF-8 file, plain or gzip, in batches ({@link chunkLines}).
 * @throws AnchorEvalError `not_found`, `unavailable`, `invalid_data`
 */
export function textLines(path: string): AsyncGenerator<LineBatch, void, undefined> {
  return chunkLines(path, fileChunks(path));
}

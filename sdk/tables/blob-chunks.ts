import { DataIssues } from "./data-issues.ts";
import { HEAD_BYTES, isGzip } from "./file-format.ts";

/**
 * The bytes of a file that a page was given, in pieces, unpacked where its first bytes say gzip.
 * @param name - how messages call the file
 * @throws AnchorEvalError `invalid_data` for a format that is not read, or gzip that is damaged
 */
export async function* blobChunks(name: string, blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = isGzip(new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer()), name);
  const stream = packed ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch {
    new DataIssues(name).fail(
      {},
      "unreadable",
      packed ? "the gzip data are damaged, or cut short" : "the file could not be read: has it changed since?",
    );
  } finally {
    reader.releaseLock();
  }
}

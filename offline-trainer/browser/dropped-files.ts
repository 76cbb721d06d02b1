import { AnchorEvalError } from "anchoreval/core";
import type { RandomAccess } from "anchoreval/node";
import { blobChunks, chunkLines, type LineBatch } from "anchoreval/tables";

// What `anchoreval/node` is to the trainer in Node: the build puts this file in its place.
export * from "anchoreval/tables";

const files = new Map<string, Blob>();

/** Gives a file the name by which {@link textLines} reads it: here, those are files that the page was given. */
export function dropFile(name: string, file: Blob): void {
  files.set(name, file);
}

/** A file that the page was given, to be read in places. @throws AnchorEvalError `not_found` */
export function openBytes(name: string): Promise<RandomAccess> {
  const file = files.get(name);
  if (!file) return Promise.reject(new AnchorEvalError("not_found", `${name}: there is no such file`));
  return Promise.resolve({
    byteLength: file.size,
    read: (begin, end) => file.slice(begin, end).arrayBuffer(),
    close: () => Promise.resolve(),
  });
}

/** The lines of a file that the page was given, plain or gzip. @throws AnchorEvalError `not_found`, `invalid_data` */
export async function* textLines(name: string): AsyncGenerator<LineBatch, void, undefined> {
  const file = files.get(name);
  if (!file) throw new AnchorEvalError("not_found", `${name}: there is no such file`);
  yield* chunkLines(name, blobChunks(name, file));
}

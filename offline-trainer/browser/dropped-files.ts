import { AnchorEvalError } from "anchoreval/core";
import { blobChunks, chunkLines, type LineBatch } from "anchoreval/tables";

// What `anchoreval/node` is to the trainer in Node: the build puts this file in its place.
export * from "anchoreval/tables";

const files = new Map<string, Blob>();

/** Gives a file the name by which {@link textLines} reads it: here, those are files that the page was given. */
export function dropFile(name: string, file: Blob): void {
  files.set(name, file);
}

/** The lines of a file that the page was given, plain or gzip. @throws AnchorEvalError `not_found`, `invalid_data` */
export async function* textLines(name: string): AsyncGenerator<LineBatch, void, undefined> {
  yield* chunkLines(name, blobChunks(name, fileOf(name)));
}

/** A file that the page was given, read in places. @throws AnchorEvalError `not_found` */
export function openBytes(name: string): Promise<{
  readonly byteLength: number;
  read(begin: number, end: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}> {
  const file = fileOf(name);
  return Promise.resolve({
    byteLength: file.size,
    read: (begin, end) => file.slice(begin, end).arrayBuffer(),
    close: () => Promise.resolve(),
  });
}

function fileOf(name: string): Blob {
  const file = files.get(name);
  if (!file) throw new AnchorEvalError("not_found", `${name}: there is no such file`);
  return file;
}

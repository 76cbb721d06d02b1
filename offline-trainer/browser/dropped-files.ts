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
  const file = files.get(name);
  if (!file) throw new AnchorEvalError("not_found", `${name}: there is no such file`);
  yield* chunkLines(name, blobChunks(name, file));
}

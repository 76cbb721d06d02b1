import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { blobChunks, chunkLines, type LineBatch } from "anchoreval/internal/tables/chunk-lines";

// The build puts this file in the place of what the SDK reads files with, and of `node:timers/promises`.

const files = new Map<string, Blob>();

/** Registers a file from the page under the name by which {@link textLines} and {@link openBytes} read it. */
export function dropFile(name: string, file: Blob): void {
  files.set(name, file);
}

/** The lines of a registered file, plain or gzip. @throws AnchorEvalError `not_found`, `invalid_data` */
export async function* textLines(name: string): AsyncGenerator<LineBatch, void, undefined> {
  yield* chunkLines(name, blobChunks(name, fileOf(name)));
}

/** Random access to a registered file. @throws AnchorEvalError `not_found` */
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

/** A page has no disk, and a fit there no memory of the one before. */
export function replaceFile(path: string): Promise<never> {
  return Promise.reject(new AnchorEvalError("unsupported", `${path}: a page can't write files`));
}

/** Why a file can't be read or written. */
export function whyNot(error: unknown): string {
  return (error as Error).message;
}

function fileOf(name: string): Blob {
  const file = files.get(name);
  if (!file) throw new AnchorEvalError("not_found", `${name}: there is no such file`);
  return file;
}

const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()!();

/** Yields to the event loop by a message, which arrives at once; timers of browsers take some milliseconds. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
}

/** @param delay - @unit milliseconds */
export function setTimeout(delay: number): Promise<void> {
  return new Promise((resolve) => globalThis.setTimeout(resolve, delay));
}

import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AnchorEvalError } from "../../core/errors.ts";
import { HEAD_BYTES, isGzip } from "../../tables/file-format.ts";

const CHUNK_BYTES = 1 << 20;

/**
 * A file's bytes in pieces, unpacked where its first bytes say gzip. Pipes are read as well.
 * @throws AnchorEvalError `not_found`, `unavailable`, or `invalid_data` where gzip breaks off or is damaged
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let head = Buffer.alloc(0);
    while (head.length < HEAD_BYTES) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = Buffer.concat([head, next.value]);
    }
    const whole = resumed(head, chunks);
    if (isGzip(head, path)) {
      const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
      pipeline(Readable.from(whole, { objectMode: false }), unpacked, () => undefined);
      yield* unpacked as AsyncIterable<Buffer>;
      return;
    }
    yield* whole;
  } catch (error) {
    throw readError(path, error);
  } finally {
    stream.destroy();
  }
}

async function* resumed(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** What a file that can't be read is to the user: missing, a folder, damaged. */
export function readError(path: string, error: unknown): unknown {
  if (error instanceof AnchorEvalError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const invalid = (message: string): AnchorEvalError =>
    new AnchorEvalError("invalid_data", `${path}: ${message}`, {
      cause: error,
      issues: [{ path: [path], code: "unreadable", message }],
    });
  if (code === "Z_BUF_ERROR") return invalid("the gzip data break off: the file is cut short");
  if (code?.startsWith("Z_")) return invalid("the gzip data are damaged");
  if (code === "EISDIR") return invalid("this is a folder, not a file");
  if (code === "ENOENT" || code === "ENOTDIR")
    return new AnchorEvalError("not_found", `${path}: there is no such file`, { cause: error });
  return new AnchorEvalError("unavailable", `${path}: the file could not be read`, { cause: error });
}

import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AnchorEvalError } from "../../core/errors.ts";
import { DataIssues } from "./data-issues.ts";

const CHUNK_BYTES = 1 << 20;

/** Formats that are told by their first bytes and not read. */
const REFUSED: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ["a Parquet file", [0x50, 0x41, 0x52, 0x31]],
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04]],
  ["compressed with zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["compressed with xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ["compressed with bzip2", [0x42, 0x5a, 0x68]],
];

/**
 * A file's bytes in pieces, unpacked where its first bytes say gzip. Pipes are read as well.
 * @throws AnchorEvalError `not_found`, `unavailable`, or `invalid_data` where gzip breaks off or is damaged
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let head = Buffer.alloc(0);
    while (head.length < 8) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = Buffer.concat([head, next.value]);
    }
    const whole = resumed(head, chunks);
    if (startsWith(head, [0x1f, 0x8b])) {
      const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
      pipeline(Readable.from(whole, { objectMode: false }), unpacked, () => undefined);
      yield* unpacked as AsyncIterable<Buffer>;
      return;
    }
    const refused = REFUSED.find(([, magic]) => startsWith(head, magic));
    if (refused)
      new DataIssues(path).fail(
        {},
        "unsupported_format",
        `the file is ${refused[0]}: CSV and JSON lines are read, plain or gzip`,
      );
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

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
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

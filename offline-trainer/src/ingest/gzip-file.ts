import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Position of the operating system's code in a gzip header, and the code for "unknown" (RFC 1952, §2.3.1). */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

/**
 * Writes text in pieces, as gzip where the name ends in .gz. The same text gives the same bytes: there is no time and
 * no name in the header, and the system's code is blanked.
 */
export async function writeText(path: string, pieces: Iterable<string>): Promise<void> {
  const text = Readable.from(encoded(pieces), { objectMode: false });
  if (path.endsWith(".gz")) await pipeline(text, createGzip(), withoutSystem, createWriteStream(path));
  else await pipeline(text, createWriteStream(path));
}

function* encoded(pieces: Iterable<string>): Generator<Buffer, void, undefined> {
  for (const piece of pieces) yield Buffer.from(piece, "utf8");
}

async function* withoutSystem(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let position = 0;
  for await (const chunk of chunks) {
    if (position <= SYSTEM_BYTE && SYSTEM_BYTE < position + chunk.length)
      chunk[SYSTEM_BYTE - position] = UNKNOWN_SYSTEM;
    position += chunk.length;
    yield chunk;
  }
}

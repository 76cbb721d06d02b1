import { AnchorEvalError, readBundleFile, type BundleSource, type Manifest } from "anchoreval";
import type { ByteRange } from "anchoreval/bundle";
import { readContent } from "anchoreval/internal/bundles/sources";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import type { FileManifest } from "anchoreval/internal/core/bundle/manifest";
import { inTime } from "../platform/deadline.ts";
import { logLine, traceOf } from "../platform/observe.ts";
import type { BundleBucket } from "../platform/env.ts";
import type { MemoryRoom } from "./bundle-caches.ts";
import { LARGEST_HELD } from "./content-cache.ts";

interface FileOrigin {
  readonly bucket: BundleBucket;
  /** Reads whole files, through the cache that isolates share. */
  readonly source: BundleSource;
  readonly manifest: Manifest;
  /** Room for whole files until they are sent. */
  readonly room: MemoryRoom;
  /** Longest wait for a piece of a body. @unit milliseconds */
  readonly deadline: number;
}

/**
 * Opens a file or a range of it. A whole file is read and verified before its first byte is sent, since it goes out under
 * its digest and is cached for good. A large one, or one for which there is no room, is verified while it is sent, and
 * breaks off if it is damaged. Of a range nothing but the file's length can be verified: it is sent as stored.
 * @throws AnchorEvalError `bundle_corrupt` if storage has lost the file or holds another, `unavailable`
 */
export async function openFile(
  { bucket, source, manifest, room, deadline }: FileOrigin,
  file: FileManifest,
  range: ByteRange | null,
): Promise<ReadableStream> {
  const name = file.name as Parameters<BundleSource["read"]>[0];
  const part = range !== null && range.end - range.begin < file.bytes ? range : null;
  const release = part === null && file.bytes <= LARGEST_HELD ? room.take(file.bytes) : null;
  if (release) {
    const bytes = await readBundleFile(source, manifest, name).catch((error: unknown) => {
      release();
      throw error;
    });
    return streamPieces(heldPieces(bytes, release), file.bytes);
  }
  const what = `${source.name}: ${name}`;
  const options = part ? { range: { offset: part.begin, length: part.end - part.begin } } : {};
  const get = (key: string) => bucket.get(key, options);
  const object = await readContent(get, manifest.benchmark, file.sha256).catch((cause: unknown) => {
    throw new AnchorEvalError("unavailable", `${what} could not be read`, { cause });
  });
  if (object === null)
    throw new AnchorEvalError("bundle_corrupt", `${what} is missing, although the manifest lists it`);
  if (object.size !== file.bytes) throw damaged(what);
  const pieces = readPieces(object.body, deadline, what);
  return part
    ? streamPieces(pieces, part.end - part.begin)
    : streamPieces(verifiedPieces(pieces, file, what), file.bytes);
}

/** @unit bytes */
const PIECE = 1 << 18;

/**
 * Reads a body in pieces of a quarter of a megabyte.
 * @param limit - longest wait for a piece. @unit milliseconds
 * @throws AnchorEvalError `unavailable` if it breaks off or takes longer
 */
export async function* readPieces(body: ReadableStream, limit: number, what: string): AsyncGenerator<Uint8Array> {
  const reader = body.getReader({ mode: "byob" });
  try {
    for (;;) {
      const { value, done } = await inTime(reader.readAtLeast(PIECE, new Uint8Array(PIECE)), limit, what);
      if (value && value.length > 0) yield value;
      if (done) return;
    }
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${what} could not be read to its end`, { cause });
  } finally {
    // Not awaited: a reader that hangs would hang here too.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * The pieces of a whole file. The last one is held back until all have the file's length and digest, so that a damaged
 * file is never sent to its end.
 * @throws AnchorEvalError `bundle_corrupt` in place of the last piece
 */
async function* verifiedPieces(
  pieces: AsyncIterable<Uint8Array>,
  file: FileManifest,
  what: string,
): AsyncGenerator<Uint8Array> {
  const digest = new crypto.DigestStream("SHA-256");
  const hashed = digest.digest.catch(() => null);
  const writer = digest.getWriter();
  let held: Uint8Array | null = null;
  let seen = 0;
  for await (const piece of pieces) {
    seen += piece.length;
    if (seen > file.bytes) throw damaged(what);
    await writer.write(piece.slice());
    if (held) yield held;
    held = piece;
  }
  await writer.close();
  const sum = await hashed;
  if (seen !== file.bytes || !sum || hexOf(new Uint8Array(sum)) !== file.sha256) throw damaged(what);
  if (held) yield held;
}

function damaged(what: string): AnchorEvalError {
  return new AnchorEvalError("bundle_corrupt", `${what} is damaged in storage: publish the bundle again`);
}

/** Bytes in memory; `release` is called once they are sent, or never will be. */
async function* heldPieces(bytes: Uint8Array, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    if (bytes.length > 0) yield bytes;
    await Promise.resolve();
  } finally {
    release();
  }
}

/**
 * A body of known length. The first piece is awaited here, so that an immediate failure becomes a proper answer; a later
 * one breaks the body off, short of its length.
 * @param bytes - length of all pieces together
 */
async function streamPieces(pieces: AsyncGenerator<Uint8Array>, bytes: number): Promise<ReadableStream> {
  const first = await pieces.next();
  const { readable, writable } = new FixedLengthStream(bytes);
  void pump(first, pieces, writable.getWriter());
  return readable;
}

async function pump(
  first: IteratorResult<Uint8Array>,
  pieces: AsyncGenerator<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) await writer.write(next.value);
    await writer.close();
  } catch (error) {
    // A caller that went away isn't worth a line.
    if (error instanceof AnchorEvalError) logLine("error", "broken_off", { code: error.code, error: traceOf(error) });
    await writer.abort(error).catch(() => undefined);
  } finally {
    await pieces.return(undefined).catch(() => undefined);
  }
}

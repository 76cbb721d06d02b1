import { AnchorEvalError } from "anchoreval";
import { hexOf, type FileManifest } from "anchoreval/bundle";
import { inTime } from "../in-time.ts";

/** @unit bytes */
const PIECE = 1 << 18;

/**
 * A body in pieces of a quarter of a megabyte.
 * @param limit - longest wait for a piece. @unit milliseconds
 * @throws AnchorEvalError `unavailable` where it breaks off or takes longer
 */
export async function* piecesOf(body: ReadableStream, limit: number, what: string): AsyncGenerator<Uint8Array> {
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
    // Not awaited: what hangs would hang here too.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * The pieces of a whole file, the last of them only if all have the file's length and digest: a damaged one is never
 * sent to its end.
 * @throws AnchorEvalError `bundle_corrupt` in the place of the last piece
 */
export async function* checkedPieces(
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
  const found = await hashed;
  if (seen !== file.bytes || !found || hexOf(new Uint8Array(found)) !== file.sha256) throw damaged(what);
  if (held) yield held;
}

/** Bytes in hand, and what is to be done once they are sent, or never will be. */
export async function* heldPieces(bytes: Uint8Array, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    if (bytes.length > 0) yield bytes;
    await Promise.resolve();
  } finally {
    release();
  }
}

function damaged(what: string): AnchorEvalError {
  return new AnchorEvalError("bundle_corrupt", `${what} is damaged in storage: publish the bundle again`);
}

import { AnchorEvalError } from "anchoreval";
import { logLine, traceOf } from "../observe/log.ts";

/**
 * A body of known length. The first piece is in hand before it is given, so that what fails at once is an answer of its
 * own; a later failure breaks the body off, short of its length.
 * @param bytes - length of all pieces together
 */
export async function bodyOfPieces(pieces: AsyncGenerator<Uint8Array>, bytes: number): Promise<ReadableStream> {
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
    // A caller that went away is nothing to tell.
    if (error instanceof AnchorEvalError) logLine("error", "broken_off", { code: error.code, error: traceOf(error) });
    await writer.abort(error).catch(() => undefined);
  } finally {
    await pieces.return(undefined).catch(() => undefined);
  }
}

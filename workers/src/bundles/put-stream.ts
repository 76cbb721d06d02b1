import { inTime } from "../in-time.ts";
import { HttpProblem } from "../problem.ts";
import type { BundleBucket } from "./bundle-bucket.ts";

/** A body of announced length on its way into the bucket. */
export interface StreamedBody {
  /** @unit bytes */
  readonly bytes: number;
  readonly body: ReadableStream;
  /** Sees every part before it goes on; what it throws ends the upload, and nothing is stored. */
  readonly see?: (part: Uint8Array) => void;
}

/**
 * Writes a body as it comes: memory doesn't grow with it.
 * @param deadline - longest wait for the bucket once the body is there. @unit milliseconds
 * @throws HttpProblem `content_mismatch` where it hasn't the announced length; what `see` throws; the bucket's own error
 */
export async function putStream(
  bucket: BundleBucket,
  key: string,
  { bytes, body, see }: StreamedBody,
  options: { readonly sha256?: string },
  deadline: number,
): Promise<void> {
  const state: { sent: number; ended: boolean; refused: { error: unknown } | null } = {
    sent: 0,
    ended: false,
    refused: null,
  };
  const seen = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      state.sent += part.length;
      try {
        see?.(part);
      } catch (error) {
        state.refused = { error };
        throw error;
      }
      controller.enqueue(part);
    },
    flush: () => void (state.ended = true),
  });
  const { readable, writable } = new FixedLengthStream(bytes);
  const stop = new AbortController();
  const piped = body.pipeThrough(seen).pipeTo(writable, { signal: stop.signal });
  try {
    const put = bucket.put(key, readable, options);
    await Promise.all([put, piped.then(() => inTime(put, deadline, key))]);
  } catch (cause) {
    stop.abort(); // whoever still waits to write
    await piped.catch(() => undefined);
    if (state.refused) throw state.refused.error;
    if (state.sent > bytes || (state.ended && state.sent < bytes))
      throw new HttpProblem("content_mismatch", `the body is not the ${bytes} bytes that Content-Length announced`);
    throw cause;
  }
}

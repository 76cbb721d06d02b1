import type { ByteRange } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";

/** How much of a body from outside comes into memory, and the refusal of a longer one. */
export interface Bound {
  /** @unit bytes */
  readonly most: number;
  /** @param length - in words: `120`, or `more than 100` where its end wasn't waited for */
  readonly refuse: (length: string) => Error;
  /** All of the body that is held, where the rest is only counted. @default the whole body */
  readonly keep?: ByteRange;
}

/** A `Response`, a `Request`, or a stream without headers. */
export interface Body {
  readonly body: ReadableStream<Uint8Array> | null;
  readonly headers?: Headers;
}

/** The bound of a body that is no file of a bundle. @param what - for messages: what it is, and where it is from */
export function atMost(most: number, what: string): Bound {
  const refuse = (length: string): Error =>
    new AnchorEvalError("unsupported", `${what} has ${length} bytes, at most ${most} are read: is the address right?`);
  return { most, refuse };
}

/**
 * Reads a body from outside: the one place where that is done. A longer one is given up when it passes the bound, unpacked
 * bytes counting, or before where it says its length; so that none costs more than its bound, however long it is.
 * @param rest - what becomes of the rest of a longer one: `leave` where the caller goes on reading it
 * @returns the bytes that are held, and the length of the whole body
 * @throws what the bound refuses with, and what the stream breaks off with
 */
export async function readBody(
  { body, headers }: Body,
  { most, refuse, keep }: Bound,
  rest: "cancel" | "leave" = "cancel",
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly length: number }> {
  const declared = headers?.get("content-encoding") ? NaN : Number(headers?.get("content-length") ?? NaN);
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  let [length, held] = [0, 0];
  try {
    if (declared > most) throw refuse(String(declared));
    for (let part = await reader?.read(); part?.done === false; part = await reader!.read()) {
      const { value } = part;
      const kept = keep ? value.subarray(Math.max(0, keep.begin - length), Math.max(0, keep.end - length)) : value;
      length += value.length;
      if (length > most) throw refuse(`more than ${most}`);
      held += kept.length;
      if (kept.length > 0) parts.push(kept);
    }
  } finally {
    if (rest === "cancel") void reader?.cancel().catch(() => undefined);
    reader?.releaseLock();
  }
  const bytes = new Uint8Array(held);
  let end = 0;
  for (const part of parts) bytes.set(part, (end += part.length) - part.length);
  return { bytes, length };
}

/** Most of what a server says of a refusal: a Worker's has 100 issues of some thousands of letters at most. @unit bytes */
const MOST_REASON_BYTES = 1 << 20;

/** The words of a refusal: of one that is too long that it is, of one that breaks off none. */
export async function readReason(response: Response): Promise<string> {
  const bound = atMost(MOST_REASON_BYTES, "the reason");
  return readBody(response, bound).then(
    ({ bytes }) => new TextDecoder().decode(bytes),
    (error: unknown) => (error instanceof AnchorEvalError ? error.message : ""),
  );
}

/** The part of an object of R2 that is read. */
interface StoredBody {
  /** Of the whole object, also where a range of it was asked for. */
  readonly size: number;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Reads an object of R2, which says its size before its bytes come.
 * @param range - that was asked for
 * @throws what the bound refuses with
 */
export async function readObject(
  object: StoredBody,
  { most, refuse }: Bound,
  range?: ByteRange,
): Promise<Uint8Array<ArrayBuffer>> {
  const length = range ? Math.min(range.end, object.size) - range.begin : object.size;
  if (length > most) throw refuse(String(length));
  return new Uint8Array(await object.arrayBuffer());
}

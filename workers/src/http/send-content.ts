import type { ByteRange } from "anchoreval/bundle";
import type { Context } from "hono";
import { HttpProblem } from "../platform/problem.ts";

interface ImmutableContent {
  readonly type: string;
  /** Strong entity tag, without its quotes. */
  readonly etag: string;
  readonly bytes: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly open: (range: ByteRange | null) => BodyInit | Promise<BodyInit>;
}

/** Cached for good: content under a version number never changes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Answers GET and HEAD with immutable content: 304 if the caller has it (If-None-Match), 206 for a range, else 200.
 * @throws HttpProblem `range_not_satisfiable`
 */
export async function sendContent(c: Context, content: ImmutableContent): Promise<Response> {
  const etag = `"${content.etag}"`;
  const headers = { etag, "cache-control": IMMUTABLE, "accept-ranges": "bytes", ...content.headers };
  if (hasEtag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });

  const head = c.req.method === "HEAD";
  const ifRange = c.req.header("if-range");
  const range =
    head || (ifRange !== undefined && ifRange !== etag) ? null : parseRange(c.req.header("range"), content.bytes);
  if (range === "unsatisfiable")
    throw new HttpProblem("range_not_satisfiable", `the file has ${content.bytes} bytes`, {
      headers: { "content-range": `bytes */${content.bytes}` },
    });
  const length = range ? range.end - range.begin : content.bytes;
  return new Response(head ? null : await content.open(range), {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      "content-type": content.type,
      "content-length": String(length),
      ...(range && { "content-range": `bytes ${range.begin}-${range.end - 1}/${content.bytes}` }),
    },
  });
}

/** Whether an If-None-Match header names the tag. The comparison is weak, since compressing proxies weaken tags. */
function hasEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/**
 * Parses a Range header with one byte range (RFC 9110, §14).
 * @returns null if the whole file is to be sent: no header, another unit, several ranges, or a malformed header
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { begin: size - length, end: size };
  }
  const begin = Number(first);
  if (last !== "" && Number(last) < begin) return null;
  if (begin >= size) return "unsatisfiable";
  return { begin, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}

import type { ByteRange } from "anchoreval/bundle";
import type { Context } from "hono";
import { HttpProblem } from "../problem.ts";
import { parseRange } from "./byte-range.ts";

/** Content that never changes under its URL. */
export interface ImmutableContent {
  readonly type: string;
  /** Strong entity tag, without its quotes. */
  readonly etag: string;
  /** Length. @unit bytes */
  readonly bytes: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes of a range, or all. */
  readonly open: (range: ByteRange | null) => BodyInit | Promise<BodyInit>;
}

/** Cached for good: what a URL with a version number shows never changes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/**
 * Answers GET and HEAD with immutable content: 304 where the caller has it (If-None-Match), 206 for a range, else 200.
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

/** Whether an If-None-Match header names the tag: compared weakly, since a compressing proxy weakens it. */
function hasEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === "*" || header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

import { AnchorEvalError, type Issue } from "anchoreval";
import { readBody as readWithin } from "anchoreval/internal/bundles/body";
import { repeatedKeys } from "anchoreval/internal/tables/json-records";
import type { MiddlewareHandler } from "hono";
import { inTime, within } from "../platform/deadline.ts";
import { HttpProblem } from "../platform/problem.ts";
import type { Settings } from "../platform/settings.ts";

/** Longest wait for a body that a route reads whole. @unit milliseconds */
const BODY_DEADLINE = 30_000;
/** Longest wait for what a refused request has left to send. @unit milliseconds */
const REST_DEADLINE = 1000;
/** Most of it that is read. @unit bytes */
const MOST_REST = 1 << 24;

/**
 * Reads a body whole before its route sees it, within bounds of bytes and of time.
 * @throws HttpProblem `payload_too_large`, `body_timeout`
 */
export const readBody: MiddlewareHandler<{ Variables: { settings: Pick<Settings, "requestBytes"> } }> = async (
  c,
  next,
) => {
  if (c.req.raw.body !== null) {
    const most = c.get("settings").requestBytes;
    const { bytes } = await within(
      // The rest of what is too long is read before the answer.
      readWithin(c.req.raw, { most, refuse: () => tooLarge(most) }, "leave").catch((cause: unknown) => {
        if (cause instanceof HttpProblem) throw cause;
        throw new HttpProblem("body_timeout", "the connection was lost before the body's end");
      }),
      BODY_DEADLINE,
      () => new HttpProblem("body_timeout", `the body did not come within ${BODY_DEADLINE / 1000} s`),
    );
    // Where Hono reads both from: it would decode the bytes each time that it is asked for text or JSON.
    const text = Promise.resolve(new TextDecoder().decode(bytes));
    Object.assign(c.req.bodyCache, { arrayBuffer: Promise.resolve(bytes.buffer), text });
  }
  await next();
};

/**
 * Refuses a body that is compressed, or encoded otherwise, before any of it is read.
 * @throws HttpProblem `unsupported_media_type` with the encodings that are taken
 * @see RFC 9110, §15.5.16
 */
export const refuseEncoded: MiddlewareHandler = async (c, next) => {
  const encodings = (c.req.header("content-encoding") ?? "").split(",").map((name) => name.trim().toLowerCase());
  if (c.req.raw.body !== null && encodings.some((name) => name !== "" && name !== "identity"))
    throw new HttpProblem(
      "unsupported_media_type",
      "compressed bodies aren't taken: send it without Content-Encoding",
      {
        headers: { "accept-encoding": "identity" },
      },
    );
  await next();
};

/**
 * Reads what a route has left of a request's body before the answer goes out. A server that answers while bytes are still
 * to come closes the connection, and a request that the caller has meanwhile put on it is lost. A caller that sends more
 * than {@link MOST_REST}, or not within {@link REST_DEADLINE}, is cut off.
 * @see RFC 9112, §9.3 and §9.6
 */
export const finishBody: MiddlewareHandler = async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (body === null || body.locked || (bodyUsed && c.res.ok)) return;
  const reader = body.getReader();
  const drain = async (): Promise<void> => {
    for (let read = 0; read <= MOST_REST;) {
      const part = await reader.read();
      if (part.done) return;
      read += (part.value as Uint8Array).length;
    }
  };
  await inTime(drain(), REST_DEADLINE, "the rest of the body").catch(() => undefined); // too slow, or gone
};

function tooLarge(most: number): HttpProblem {
  return new HttpProblem("payload_too_large", `a request body has at most ${most} bytes: send the models in parts`);
}

/**
 * The body's length according to its Content-Length.
 * @param most - @unit bytes
 * @throws HttpProblem `length_required` without Content-Length, `payload_too_large` over the limit
 */
export function announcedLength(request: Request, most: number): number {
  const header = request.headers.get("content-length");
  if (header === null || !/^\d+$/.test(header))
    throw new HttpProblem("length_required", "send the body with its Content-Length");
  const bytes = Number(header);
  if (bytes > most) throw new HttpProblem("payload_too_large", `the body has at most ${most} bytes here`);
  return bytes;
}

/** Deeper keys aren't checked: those of `models[3].responses` are the deepest that hold answers. */
const DEEPEST = 4;

/**
 * {@link repeatedKeys} of a body, down to its answers.
 * @param value - what the text was parsed to
 * @example duplicateKeys('{"responses":{"gsm/17":1,"gsm/17":0}}', { responses: { "gsm/17": 0 } }) // [["responses", "gsm/17"]]
 */
export function duplicateKeys(json: string, value: unknown): (string | number)[][] {
  return repeatedKeys(json, value, DEEPEST);
}

/** Refuses answers in which a key appears twice, since it is unclear which was meant. @throws AnchorEvalError `invalid_answers` */
export function refuseDuplicates(paths: readonly (readonly (string | number)[])[]): void {
  if (paths.length === 0) return;
  const issues = paths.map((path): Issue => ({ path, code: "duplicate", message: `${path.at(-1)!} appears twice` }));
  throw new AnchorEvalError("invalid_answers", `${issues[0]!.message}${issues.length > 1 ? ", …" : ""}`, { issues });
}

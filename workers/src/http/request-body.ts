import { AnchorEvalError, type Issue } from "anchoreval";
import { visitJsonKeys } from "anchoreval/internal/tables/json-records";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Env } from "../env.ts";
import { HttpProblem } from "../problem.ts";

/** Longest body, and longest line of a job. @unit bytes */
export const DEFAULT_MAX_BYTES = 1 << 20;

/** Refuses bodies over the limit, with or without a Content-Length. */
export const limitBody: MiddlewareHandler<{ Bindings: Env }> = (c, next) => {
  const maxSize = c.env.MAX_REQUEST_BYTES ?? DEFAULT_MAX_BYTES;
  const onError = (): never => {
    throw new HttpProblem("payload_too_large", `a request body has at most ${maxSize} bytes: send the models in parts`);
  };
  return bodyLimit({ maxSize, onError })(c, next);
};

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
 * Paths of keys that appear twice in an object of a JSON text, of which `JSON.parse` silently keeps the last.
 * @param json - valid JSON
 * @example duplicateKeys('{"responses":{"gsm/17":1,"gsm/17":0}}') // [["responses", "gsm/17"]]
 */
export function duplicateKeys(json: string): (string | number)[][] {
  const found: (string | number)[][] = [];
  visitJsonKeys(
    json,
    (path, repeated) => {
      if (repeated) found.push([...path]);
    },
    DEEPEST,
  );
  return found;
}

/** Refuses answers in which a key appears twice, since it is unclear which was meant. @throws AnchorEvalError `invalid_answers` */
export function refuseDuplicates(paths: readonly (readonly (string | number)[])[]): void {
  if (paths.length === 0) return;
  const issues = paths.map((path): Issue => ({ path, code: "duplicate", message: `${path.at(-1)!} appears twice` }));
  throw new AnchorEvalError("invalid_answers", `${issues[0]!.message}${issues.length > 1 ? ", …" : ""}`, { issues });
}

import { AnchorEvalError, type Issue } from "anchoreval";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { AppEnv } from "../env.ts";
import { HttpProblem } from "../problem.ts";

/** Longest body, and longest line of a job. @unit bytes */
export const DEFAULT_MAX_BYTES = 1 << 20;

/** Refuses bodies over the limit, with or without a Content-Length. */
export const limitBody: MiddlewareHandler<AppEnv> = (c, next) => {
  const maxSize = c.env.MAX_REQUEST_BYTES ?? DEFAULT_MAX_BYTES;
  const onError = (): never => {
    throw new HttpProblem("payload_too_large", `a request body has at most ${maxSize} bytes; send models in parts`);
  };
  return bodyLimit({ maxSize, onError })(c, next);
};

/** Refuses answers where keys stand twice: which of the two was meant? */
export function refuseDuplicates(paths: readonly (readonly (string | number)[])[]): void {
  if (paths.length === 0) return;
  const issues = paths.map((path): Issue => ({ path, code: "duplicate", message: `${path.at(-1)!} stands twice` }));
  throw new AnchorEvalError("invalid_answers", `${issues[0]!.message}${issues.length > 1 ? ", …" : ""}`, { issues });
}

import { BENCHMARK_NAME, VERSION } from "anchoreval/bundle";
import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { LATEST } from "../bundles/bundle-reader.ts";
import type { AppEnv } from "../env.ts";
import { codeOf } from "../problem.ts";
import { logLine } from "./log.ts";
import { Phases } from "./phases.ts";
import { requestIdOf } from "./request-id.ts";
import type { RequestNotes } from "./request-notes.ts";

/**
 * Gives every request its id, its answer `x-request-id` and `Server-Timing`, and the log one line, where
 * `LOG_REQUESTS` is set. No bodies, tokens, query or raw paths are logged.
 */
export function observeRequest(now: () => number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const requestId = requestIdOf(c.req.header("x-request-id"));
    const phases = new Phases(now);
    const notes: RequestNotes = {};
    c.set("requestId", requestId);
    c.set("phases", phases);
    c.set("notes", notes);
    const begun = now();
    await next();
    c.header("x-request-id", requestId);
    const { serverTiming } = phases;
    if (serverTiming !== null) c.header("server-timing", serverTiming);
    if (String(c.env.LOG_REQUESTS) !== "true") return;
    logLine("log", "request", {
      requestId,
      method: c.req.method,
      ...routeOf(c),
      status: c.res.status,
      ...(c.res.status >= 400 && { code: c.error ? codeOf(c.error) : "not_found" }),
      token: (c.get("caller") as AppEnv["Variables"]["caller"] | undefined)?.token ?? null,
      ...notes,
      milliseconds: now() - begun,
      waits: phases.waits,
    });
  };
}

/** The pattern of the route, and what of its parameters names something that may be there. */
function routeOf(c: Context<AppEnv>): { route: string | null; benchmark?: string; version?: string } {
  const pattern = routePath(c, -1);
  if (pattern === "/*") return { route: null };
  const given = c.req.path.split("/");
  const value = (name: string): string => given[pattern.split("/").indexOf(`:${name}`)] ?? "";
  const [benchmark, version] = [value("benchmark"), value("version")];
  return {
    route: pattern,
    ...(BENCHMARK_NAME.test(benchmark) && { benchmark }),
    ...((version === LATEST || VERSION.test(version)) && { version }),
  };
}

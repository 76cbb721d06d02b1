import { BENCHMARK_NAME, LATEST, VERSION } from "anchoreval/internal/core/bundle/names";
import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { codeOf } from "./problem.ts";
import type { Settings } from "./settings.ts";

/** Details that handlers add to a request's log line: numbers and names, never contents. */
interface RequestNotes {
  answers?: number;
  /** The version that answered, where the path says `latest`. */
  version?: string;
}

/** Values that {@link observeRequest} puts into the context. */
export interface Observed {
  /** The request's id, in the answer and in logs. */
  requestId: string;
  phases: Phases;
  notes: RequestNotes;
}

/** The part of Hono's context that is read and written here; `caller` is not there when the token was refused, nor `settings` when one of them was. */
interface ObservedEnv {
  Variables: Observed & { caller?: { readonly token: string | null }; settings?: Pick<Settings, "logsRequests"> };
}

/**
 * Gives every request its id, its answer `x-request-id` and `Server-Timing`, and the log a line where `LOG_REQUESTS` is
 * set. Bodies, tokens, queries and raw paths are never logged.
 */
export function observeRequest(now: () => number): MiddlewareHandler<ObservedEnv> {
  return async (c, next) => {
    const requestId = requestIdOf(c.req.header("x-request-id"));
    const phases = new Phases(now);
    const notes: RequestNotes = {};
    c.set("requestId", requestId);
    c.set("phases", phases);
    c.set("notes", notes);
    const begun = now();
    await next();
    const { serverTiming } = phases;
    c.res.headers.set("x-request-id", requestId);
    if (serverTiming !== null) c.res.headers.set("server-timing", serverTiming);
    if (!c.get("settings")?.logsRequests) return;
    logLine("log", "request", {
      requestId,
      method: c.req.method,
      ...matchedRoute(c),
      status: c.res.status,
      ...(c.res.status >= 400 && { code: c.error ? codeOf(c.error) : "not_found" }),
      token: c.get("caller")?.token ?? null,
      ...notes,
      milliseconds: now() - begun,
      waits: phases.waits,
    });
  };
}

/** The pattern of the route, and its benchmark and version where they are well-formed. */
function matchedRoute(c: Context): { route: string | null; benchmark?: string; version?: string } {
  const pattern = routePath(c, -1);
  if (pattern === "/*") return { route: null };
  const parts = c.req.path.split("/");
  const value = (name: string): string => parts[pattern.split("/").indexOf(`:${name}`)] ?? "";
  const [benchmark, version] = [value("benchmark"), value("version")];
  return {
    route: pattern,
    ...(BENCHMARK_NAME.test(benchmark) && { benchmark }),
    ...((version === LATEST || VERSION.test(version)) && { version }),
  };
}

/** Ids that are safe in logs and headers as they are. */
const WELL_FORMED = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * The id under which a request is found in logs: the caller's own if it is well-formed, else a random UUID.
 * @param header - the header `x-request-id`
 * @example requestIdOf("job-17.3") // "job-17.3"
 */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && WELL_FORMED.test(header) ? header : crypto.randomUUID();
}

export function countAnswers(responses: unknown): number {
  return typeof responses === "object" && responses !== null ? Object.keys(responses).length : 0;
}

/** Phases of a request that wait for storage. The names are stable and listed in docs/deploy.md. */
type Phase = "names" | "index" | "manifest" | "bundle" | "items" | "routing" | "file";

/**
 * How long one request waited for each phase of reading, no matter which request began the load. Workers' clocks advance
 * only with I/O, so these are waits and not CPU time; 0 means that the isolate had it in memory.
 */
export class Phases {
  readonly #longest = new Map<Phase, number>();
  readonly #now: () => number;

  /** @param now - @unit milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Times the work, whether it fails or not; of several waits in one phase the longest counts. */
  async time<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const begun = this.#now();
    try {
      return await work();
    } finally {
      this.#longest.set(phase, Math.max(this.#longest.get(phase) ?? 0, this.#now() - begun));
    }
  }

  get waits(): Readonly<Partial<Record<Phase, number>>> {
    return Object.fromEntries(this.#longest);
  }

  /** The waits as a `Server-Timing` header; null if nothing was read. */
  get serverTiming(): string | null {
    const entries = [...this.#longest].map(([phase, milliseconds]) => `${phase};dur=${milliseconds}`);
    return entries.length > 0 ? entries.join(", ") : null;
  }
}

/** Writes one line of JSON: Cloudflare's logs index its fields. */
export function logLine(level: "log" | "error", event: string, fields: Readonly<Record<string, unknown>>): void {
  console[level](JSON.stringify({ event, ...fields }));
}

/** An error with its causes, for logs only: stacks where there are any, else messages. */
export function traceOf(error: unknown): string {
  const lines: string[] = [];
  for (let at = error; at !== undefined; at = at instanceof Error ? at.cause : undefined)
    lines.push(at instanceof Error ? (at.stack ?? at.message) : JSON.stringify(at));
  return lines.join("\ncaused by ");
}

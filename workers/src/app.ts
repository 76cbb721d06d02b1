import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import { identify } from "./auth/caller.ts";
import { guardProtected } from "./auth/guard-protected.ts";
import { limitRate } from "./auth/limit-rate.ts";
import { cors } from "hono/cors";
import type { Context } from "hono";
import { createCaches, INDEX_MAX_AGE, type CacheOptions } from "./bundles/bundle-caches.ts";
import { BundleReader } from "./bundles/bundle-reader.ts";
import type { ContentCache } from "./bundles/content-cache.ts";
import { STORAGE_DEADLINE, withDeadline } from "./bundles/storage-deadline.ts";
import { observeRequest } from "./observe/observe-request.ts";
import type { AppEnv } from "./env.ts";
import { openapiDocument } from "./openapi.ts";
import { HttpProblem, problemResponse, toIssues } from "./problem.ts";
import { ROUTES } from "./routes/index.ts";
import { redirectLatest } from "./routes/redirect-latest.ts";

export interface AppOptions extends CacheOptions {
  /** What isolates share of open benchmarks: `caches.default`. @default none */
  readonly contents?: ContentCache;
  /** Longest wait for one answer of the bucket. @unit milliseconds @default {@link STORAGE_DEADLINE} */
  readonly storageDeadline?: number;
}

/**
 * The HTTP interface: one app an isolate.
 * @param caches - what the isolate keeps; empty ones of its own unless given
 * @example export default createApp();
 */
export function createApp(options: AppOptions = {}, caches = createCaches(options)): OpenAPIHono<AppEnv> {
  const { now = Date.now, contents: cache, storageDeadline: deadline = STORAGE_DEADLINE } = options;
  const app = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw refusal(result.target, result.error);
    },
  });
  app.use(observeRequest(now));
  app.use(
    cors({
      origin: "*",
      allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
      exposeHeaders: [
        "ETag",
        "Content-Range",
        "Accept-Ranges",
        "Retry-After",
        "Location",
        "X-Request-Id",
        "Server-Timing",
      ],
      maxAge: 86_400,
    }),
  );
  app.use(async (c, next) => {
    c.header("x-content-type-options", "nosniff");
    c.set("now", now);
    const caller = identify(c.req.header("authorization"), c.env, now());
    if (c.env.LIMITER) await limitRate(c.env.LIMITER, caller, c.req.header("cf-connecting-ip"));
    const known = await caller;
    const bucket = withDeadline(c.env.BUNDLES, deadline);
    c.set("caller", known);
    c.set("deadline", deadline);
    c.set("bucket", bucket);
    c.set(
      "bundles",
      new BundleReader({
        bucket,
        caches,
        contents: cache ? { cache, origin: new URL(c.req.url).origin } : null,
        isProtected: (benchmark) => known.isProtected(benchmark),
        phases: c.get("phases"),
        keepAlive: waitUntil(c),
        deadline,
      }),
    );
    await next();
  });
  app.use("/v1/bundles/:benchmark/*", guardProtected);

  app.get("/v1/bundles/:benchmark/latest", redirectLatest);
  app.get("/v1/bundles/:benchmark/latest/*", redirectLatest);
  app.openapiRoutes(ROUTES);
  let document: object | undefined;
  app.get("/openapi.json", (c) => {
    c.header("cache-control", `public, max-age=${INDEX_MAX_AGE}`);
    return c.json((document ??= openapiDocument(app)));
  });

  const methods = new Map([["/openapi.json", "GET, HEAD, OPTIONS"]]);
  for (const { route } of ROUTES)
    methods.set(
      route.getRoutingPath(),
      `${route.method === "get" ? "GET, HEAD" : route.method.toUpperCase()}, OPTIONS`,
    );
  for (const [path, allow] of methods)
    app.all(path, (c) => {
      throw new HttpProblem("method_not_allowed", `${c.req.method} is not allowed here: ${allow} are`, {
        headers: { allow },
      });
    });
  app.notFound((c) =>
    problemResponse(new AnchorEvalError("not_found", `there is no ${c.req.path}: /docs lists what there is`), at(c)),
  );
  app.onError((error, c) => problemResponse(error, at(c)));
  return app;
}

function at(c: Context<AppEnv>): { instance: string; requestId: string } {
  return { instance: c.req.path, requestId: c.var.requestId };
}

/** A path that breaks the rules of names can't be there; other values are the caller's to mend. */
function refusal(target: string, error: z.ZodError): Error {
  const issues = toIssues(error);
  const [first] = issues;
  const detail = first ? `${first.path.join(".") || "body"}: ${first.message}` : "";
  return target === "param"
    ? new AnchorEvalError("not_found", detail, { issues })
    : new HttpProblem("invalid_request", detail, { issues });
}

/** `waitUntil` of the request; outside Workers work goes on by itself. */
function waitUntil(c: Context): (work: Promise<unknown>) => void {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return () => undefined;
  }
}

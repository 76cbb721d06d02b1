import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { identify } from "./auth/access.ts";
import { meterOf } from "./auth/rate-limit.ts";
import { createCaches, INDEX_MAX_AGE, type CacheOptions } from "./bundles/bundle-caches.ts";
import { BundleReader } from "./bundles/bundle-reader.ts";
import type { ContentCache } from "./bundles/content-cache.ts";
import { bundleStorage } from "./bundles/shipped-bucket.ts";
import type { AppEnv } from "./routes/route.ts";
import { STORAGE_DEADLINE } from "./platform/deadline.ts";
import { finishBody, refuseEncoded } from "./http/request-body.ts";
import { logLine, observeRequest, traceOf } from "./platform/observe.ts";
import { openapiDocument } from "./openapi.ts";
import { codeOf, describeZodError, HttpProblem, problemResponse } from "./platform/problem.ts";
import { redirectLatest } from "./routes/bundles.ts";
import { ROUTES } from "./routes/index.ts";
import { settingsOf } from "./platform/settings.ts";

/** Headers that scripts of other origins may read. */
const EXPOSED = ["ETag", "Content-Range", "Accept-Ranges", "Retry-After", "Location", "X-Request-Id", "Server-Timing"];

const EXPOSED_NAMES = EXPOSED.join(",");

interface AppOptions extends CacheOptions {
  /** The cache of open benchmarks that isolates share: `caches.default`. @default none */
  readonly contents?: ContentCache;
  /** Longest wait for one answer of the bucket. @unit milliseconds @default {@link STORAGE_DEADLINE} */
  readonly storageDeadline?: number;
}

/**
 * The HTTP interface: one app per isolate.
 * @param caches - kept between requests; new ones by default
 * @example export default createApp();
 */
export function createApp(options: AppOptions = {}, caches = createCaches(options)): OpenAPIHono<AppEnv> {
  const { now = Date.now, contents: cache, storageDeadline: deadline = STORAGE_DEADLINE } = options;
  const app = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw refusal(result.target, result.error);
    },
  });
  app.use(observeRequest(now), finishBody);
  app.options(
    "*",
    cors({ origin: "*", allowMethods: ["GET", "HEAD", "POST", "OPTIONS"], exposeHeaders: EXPOSED, maxAge: 86_400 }),
  );
  app.use(openToPages, async (c, next) => {
    c.set("now", now);
    const settings = settingsOf(c.env);
    c.set("settings", settings);
    const identified = identify(c.req.header("authorization"), settings, now());
    identified.then((identity) => c.set("caller", identity)).catch(() => undefined); // the log names whom the limit refuses
    const meter = await meterOf(c.env.LIMITER, identified, c.req.header("cf-connecting-ip"));
    await meter(1); // before anything is done for it
    c.set("meter", meter);
    const caller = await identified;
    const keepAlive = waitUntil(c);
    const { bucket, shipped } = bundleStorage(c.env, caches.shipped, deadline, keepAlive);
    c.set("deadline", deadline);
    c.set("bucket", bucket);
    const bundles = new BundleReader({
      bucket,
      caches,
      shipped,
      contents: cache ? { cache, origin: new URL(c.req.url).origin } : null,
      isProtected: (benchmark) => caller.isProtected(benchmark),
      phases: c.get("phases"),
      keepAlive,
      deadline,
    });
    c.set("bundles", bundles);
    await next();
  });
  app.use(refuseEncoded);
  app.use("/v1/bundles/:benchmark/*", guardProtected);

  app.get("/v1/bundles/:benchmark/latest", redirectLatest);
  app.get("/v1/bundles/:benchmark/latest/*", redirectLatest);
  app.openapiRoutes(ROUTES);
  let document: object | undefined;
  app.get("/openapi.json", (c) => {
    c.header("cache-control", `public, max-age=${INDEX_MAX_AGE}`);
    return c.json((document ??= openapiDocument(app)));
  });

  const methods = ROUTES.map(({ route }): [path: string, methods: string] => [
    route.getRoutingPath(),
    route.method === "get" ? "GET, HEAD" : route.method.toUpperCase(),
  ]);
  for (const [path, allowed] of [["/openapi.json", "GET, HEAD"], ...methods] as const)
    app.all(path, (c) => {
      const allow = `${allowed}, OPTIONS`;
      throw new HttpProblem("method_not_allowed", `${c.req.method} is not allowed here; use ${allow}`, {
        headers: { allow },
      });
    });
  app.notFound((c) => refuse(new AnchorEvalError("not_found", `there is no ${c.req.path}: /docs lists all routes`), c));
  app.onError(refuse);
  return app;
}

/** Lets scripts of any origin read an answer, and takes its type at its word. */
const openToPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  // Set on the answer itself: set before, or by Hono's `header`, they would have it copied.
  const { headers } = c.res;
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", EXPOSED_NAMES);
  headers.set("x-content-type-options", "nosniff");
};

/** Answers with the error's problem document, and logs errors of the server. */
function refuse(error: unknown, c: Context<AppEnv>): Response {
  const { requestId } = c.var;
  const response = problemResponse(error, { instance: c.req.path, requestId });
  if (response.status >= 500) logLine("error", "error", { requestId, code: codeOf(error), error: traceOf(error) });
  return response;
}

/** A malformed path names nothing that could exist (404); any other invalid value is the caller's to correct (422). */
function refusal(target: string, error: z.ZodError): Error {
  const { detail, issues } = describeZodError(error, target === "query" ? "query" : "body");
  return target === "param"
    ? new AnchorEvalError("not_found", detail, { issues })
    : new HttpProblem("invalid_request", detail, { issues });
}

/** Requires the scope of a protected benchmark before anything of it is read, and keeps its answers out of caches. */
const guardProtected: MiddlewareHandler<AppEnv, "/v1/bundles/:benchmark/*"> = async (c, next) => {
  const caller = c.get("caller");
  const benchmark = c.req.param("benchmark");
  if (!isPublishing(c.req.method, c.req.path)) caller.require("read", benchmark);
  await next();
  if (caller.isProtected(benchmark)) c.res.headers.set("cache-control", "private, no-store");
};

/** Whether a route requires its own scope. The method counts: `GET …/latest/publication` would reveal the latest version. */
function isPublishing(method: string, path: string): boolean {
  return method === "PUT" || (method === "POST" && path.endsWith("/publication"));
}

/** `waitUntil` of the request; outside Workers, work goes on by itself. */
function waitUntil(c: Context): (work: Promise<unknown>) => void {
  try {
    const { executionCtx } = c;
    return (work) => executionCtx.waitUntil(work);
  } catch {
    return () => undefined;
  }
}

import { OpenAPIHono, type z } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import { identify } from "./auth/caller.ts";
import { guardProtected } from "./auth/guard-protected.ts";
import { cors } from "hono/cors";
import type { Context } from "hono";
import { BundleReader, createCaches, INDEX_MAX_AGE, type CacheOptions } from "./bundles/bundle-reader.ts";
import type { AppEnv } from "./env.ts";
import { openapiDocument } from "./openapi.ts";
import { HttpProblem, problemResponse, toIssues } from "./problem.ts";
import { ROUTES } from "./routes/index.ts";
import { redirectLatest } from "./routes/redirect-latest.ts";

/**
 * The HTTP interface: one app an isolate.
 * @param caches - what the isolate keeps; empty ones of its own unless given
 * @example export default createApp();
 */
export function createApp(options: CacheOptions = {}, caches = createCaches(options)): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw refusal(result.target, result.error);
    },
  });
  app.use(
    cors({
      origin: "*",
      allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
      exposeHeaders: ["ETag", "Content-Range", "Accept-Ranges", "Retry-After", "Location"],
      maxAge: 86_400,
    }),
  );
  app.use(async (c, next) => {
    c.set("bundles", new BundleReader(c.env.BUNDLES, caches, waitUntil(c)));
    c.header("x-content-type-options", "nosniff");
    c.set("now", options.now ?? Date.now);
    c.set("caller", await identify(c.req.header("authorization"), c.env, (options.now ?? Date.now)()));
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
    problemResponse(
      new AnchorEvalError("not_found", `there is no ${c.req.path}: /docs lists what there is`),
      c.req.path,
    ),
  );
  app.onError((error, c) => problemResponse(error, c.req.path));
  return app;
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

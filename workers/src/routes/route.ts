import { createRoute, type RouteConfig, type RouteHandler, type z } from "@hono/zod-openapi";
import type { Issue } from "anchoreval";
import type { MiddlewareHandler } from "hono";
import { readBody } from "../http/request-body.ts";
import { HttpProblem } from "../platform/problem.ts";
import { VersionOrLatestParams } from "../schemas/contract.ts";
import type { Caller } from "../auth/access.ts";
import type { Meter } from "../auth/rate-limit.ts";
import type { BundleBucket, Env } from "../platform/env.ts";
import type { BundleReader } from "../bundles/bundle-reader.ts";
import type { Observed } from "../platform/observe.ts";
import type { Settings } from "../platform/settings.ts";

export interface AppEnv {
  Bindings: Env;
  Variables: Observed & {
    settings: Settings;
    /** The bucket, with the deadline for every wait. */
    bucket: BundleBucket;
    /** Longest wait for one answer of the bucket, or for a piece of a body. @unit milliseconds */
    deadline: number;
    bundles: BundleReader;
    now: () => number;
    caller: Caller;
    /** Counts what a request costs beyond itself. */
    meter: Meter;
  };
}

export function route<const Config extends RouteConfig>(config: Config, handler: RouteHandler<Config, AppEnv>) {
  if (!config.path.startsWith("/v1/")) return { route: createRoute(config), handler }; // probes may ask as they like
  const names = Object.keys((config.request?.query as z.ZodObject | undefined)?.shape ?? {});
  const middleware = [refuseParameters(names), ...[config.middleware ?? []].flat()];
  return { route: createRoute({ ...config, middleware }), handler };
}

/**
 * Refuses a query that a route would not answer: one that it doesn't have, or has given twice.
 * @throws HttpProblem `invalid_request`
 */
function refuseParameters(names: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const { searchParams } = new URL(c.req.url);
    const asked = [...searchParams.keys()];
    const issues = asked.flatMap((name, k): Issue[] =>
      !names.includes(name)
        ? [{ path: [name], code: "unrecognized_keys", message: `there is no parameter ${name} here: ${names.length === 0 ? "there is none" : `there are ${names.join(", ")}`}` }] // prettier-ignore
        : asked.indexOf(name) < k
          ? [{ path: [name], code: "duplicate", message: `${name} is given twice` }]
          : [],
    );
    if (issues.length > 0) throw new HttpProblem("invalid_request", issues[0]!.message, { issues });
    await next();
  };
}

export function operation(tag: string, operationId: string, summary: string) {
  return { operationId, tags: [tag], summary };
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true as const, content: { "application/json": { schema } } };
}

/** The part that all routes share that are asked of a bundle with a body of JSON. */
export function postToBundle<Name extends string, Schema extends z.ZodType>(name: Name, schema: Schema) {
  return {
    method: "post" as const,
    path: `/v1/bundles/{benchmark}/{version}/${name}` as const,
    middleware: readBody,
    request: { params: VersionOrLatestParams, body: jsonBody(schema) },
  };
}

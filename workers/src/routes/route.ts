import { createRoute, type RouteConfig, type RouteHandler, type z } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { readBody } from "../http/request-body.ts";
import { VersionOrLatestParams } from "../schemas/contract.ts";

export function route<const Config extends RouteConfig>(config: Config, handler: RouteHandler<Config, AppEnv>) {
  return { route: createRoute(config), handler };
}

/** A route's place in the document. */
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

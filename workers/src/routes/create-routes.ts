import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { routeFromBundle } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { limitBody } from "../http/request-body.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { POST_PROBLEMS, json } from "../schemas/responses.ts";
import { RoutesRequestSchema, RoutesSchema } from "../schemas/route.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/routes",
  operationId: "createRoutes",
  tags: ["routes"],
  summary: "Which model to ask questions that none has seen",
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: RoutesRequestSchema } } },
  },
  responses: { 200: json(RoutesSchema, "Every model's chance of a right answer, and the pick"), ...POST_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { questions, ...options } = c.req.valid("json");
  const routing = await c.var.bundles.routing(c.req.valid("param"));
  return c.json(routeFromBundle(routing, questions, options), 200);
};

export const createRoutes = { route, handler };

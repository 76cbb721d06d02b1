import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import type { AppEnv } from "../env.ts";
import { ANY_PROBLEMS, json } from "../schemas/responses.ts";

const HealthSchema = z.object({ status: z.literal("ok") }).openapi("Health");

const route = createRoute({
  method: "get",
  path: "/healthz",
  operationId: "readHealth",
  tags: ["service"],
  summary: "Whether the Worker runs; storage isn't asked",
  responses: { 200: json(HealthSchema, "It runs"), ...ANY_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = (c) => {
  c.header("cache-control", "no-store");
  return c.json({ status: "ok" as const }, 200);
};

export const readHealth = { route, handler };

import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { planFromBundle } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { IMMUTABLE } from "../http/send-content.ts";
import { VersionParams } from "../schemas/params.ts";
import { PlanQuery, PlanSchema } from "../schemas/plan.ts";
import { json, MOVED, PLAN_PROBLEMS } from "../schemas/responses.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/plan",
  operationId: "readPlan",
  tags: ["estimates"],
  summary: "How many items it takes, from what the bundle has measured",
  request: { params: VersionParams, query: PlanQuery },
  responses: { 200: json(PlanSchema, "What each form can tell, and what is needed"), ...MOVED, ...PLAN_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const plan = planFromBundle(await c.var.bundles.bundle(c.req.valid("param")), c.req.valid("query"));
  c.header("cache-control", IMMUTABLE);
  return c.json(plan, 200);
};

export const readPlan = { route, handler };

import { z } from "@hono/zod-openapi";
import { planRequest } from "anchoreval/internal/features/sdk-plan";
import { IMMUTABLE } from "../http/send-content.ts";
import { OTHERWISE, VersionParams } from "../schemas/contract.ts";
import { OTHER_PLANS, PLAN_FIELDS, QUERY_FIELDS } from "../../../features/http-answers.ts";
import { answerSchema, json } from "../schemas/fields.ts";
import { PLAN_OPTIONS, PlannedFormSchema } from "../schemas/plan.ts";
import { operation, route } from "./route.ts";

export const PlanQuery = z.strictObject({ ...PLAN_OPTIONS, ...QUERY_FIELDS });

export const PlanSchema = answerSchema("Plan", {
  benchmark: z.string(),
  version: z.string(),
  level: z.number(),
  rankedRight: z.number(),
  forms: z.array(PlannedFormSchema).readonly(),
  wanted: z.union([z.object({ halfWidth: z.number() }), z.object({ gap: z.number() })]).nullable(),
  needed: PlannedFormSchema.nullable(),
  enough: z.string().nullable(),
  ...PLAN_FIELDS,
});

export const readPlan = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/plan",
    ...operation("estimates", "readPlan", "Plan how many items to ask, from the errors that the bundle has measured"),
    request: { params: VersionParams, query: PlanQuery },
    responses: {
      200: json(z.union([PlanSchema, ...OTHER_PLANS]), "The precision of each form, and what is needed"),
      ...OTHERWISE.query,
    },
  },
  async (c) => {
    const plan = planRequest(await c.var.bundles.bundle(c.req.valid("param")), c.req.valid("query"));
    c.header("cache-control", IMMUTABLE);
    return c.json(plan, 200);
  },
);

import { z } from "@hono/zod-openapi";
import { planRequest } from "anchoreval/internal/features/sdk-plan";
import { IMMUTABLE } from "../http/send-content.ts";
import { OTHERWISE, VersionParams } from "../schemas/contract.ts";
import { OTHER_PLANS, PLAN_FIELDS, QUERY_FIELDS } from "../../../features/http-plan.ts";
import { answerSchema, json } from "../schemas/fields.ts";
import { fraction, PlannedFormSchema } from "../schemas/plan.ts";
import { operation, route } from "./route.ts";

export const PlanQuery = z.strictObject({
  halfWidth: fraction("Wanted half-width of a score's interval, a fraction in (0,1)."),
  gap: fraction(
    "True gap between two models that should be ranked correctly, a fraction in (0,1). Not with `halfWidth`.",
  ),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap should be ranked correctly, in (½,1). Default 0.8."),
  ...QUERY_FIELDS,
});

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

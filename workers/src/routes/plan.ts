import { z } from "@hono/zod-openapi";
import { planFromBundle } from "anchoreval";
import { IMMUTABLE } from "../http/send-content.ts";
import { OTHERWISE, VersionParams } from "../schemas/contract.ts";
import { answerSchema, json } from "../schemas/fields.ts";
import { operation, route } from "./route.ts";

const fraction = (description: string) => z.coerce.number().exactOptional().openapi({ type: "number", description });

export const PlanQuery = z.strictObject({
  halfWidth: fraction("Wanted half-width of a score's interval, a fraction in (0,1)."),
  gap: fraction(
    "True gap between two models that should be ranked correctly, a fraction in (0,1). Not with `halfWidth`.",
  ),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap should be ranked correctly, in (½,1). Default 0.8."),
});

const PrecisionSchema = answerSchema("Precision", {
  items: z.number(),
  of: z.number(),
  halfWidth: z.number(),
  gap: z.number(),
  basis: z.enum(["measured", "between", "beyond", "predicted"]),
});

const PlannedFormSchema = answerSchema("PlannedForm", {
  form: z.string().nullable(),
  overall: PrecisionSchema,
  scenarios: z.record(z.string(), PrecisionSchema),
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
});

export const readPlan = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/plan",
    ...operation("estimates", "readPlan", "Plan how many items to ask, from the errors that the bundle has measured"),
    request: { params: VersionParams, query: PlanQuery },
    responses: { 200: json(PlanSchema, "The precision of each form, and what is needed"), ...OTHERWISE.query },
  },
  async (c) => {
    const plan = planFromBundle(await c.var.bundles.bundle(c.req.valid("param")), c.req.valid("query"));
    c.header("cache-control", IMMUTABLE);
    return c.json(plan, 200);
  },
);

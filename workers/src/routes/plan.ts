import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { planFromBundle } from "anchoreval";
import type { AppEnv } from "../context.ts";
import { IMMUTABLE } from "../http/send-content.ts";
import { json, MOVED, QUERY_PROBLEMS, VersionParams } from "../schemas/contract.ts";

const fraction = (description: string) => z.coerce.number().exactOptional().openapi({ type: "number", description });

/** Mirrors `PlanOptions` of anchoreval, as a query. */
export const PlanQuery = z.strictObject({
  halfWidth: fraction("Wanted half-width of a score's interval, a fraction in (0,1)."),
  gap: fraction(
    "True gap between two models that should be ranked correctly, a fraction in (0,1). Not with `halfWidth`.",
  ),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap should be ranked correctly, in (½,1). Default 0.8."),
});

const PrecisionSchema = z
  .object({
    items: z.number(),
    of: z.number(),
    halfWidth: z.number(),
    gap: z.number(),
    basis: z.enum(["measured", "between", "beyond", "predicted"]),
  })
  .openapi("Precision");

const PlannedFormSchema = z
  .object({
    form: z.string().nullable(),
    overall: PrecisionSchema,
    scenarios: z.record(z.string(), PrecisionSchema),
  })
  .openapi("PlannedForm");

/** Mirrors `Plan` of anchoreval. */
export const PlanSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    level: z.number(),
    rankedRight: z.number(),
    forms: z.array(PlannedFormSchema).readonly(),
    wanted: z.union([z.object({ halfWidth: z.number() }), z.object({ gap: z.number() })]).nullable(),
    needed: PlannedFormSchema.nullable(),
    enough: z.string().nullable(),
  })
  .openapi("Plan");

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/plan",
  operationId: "readPlan",
  tags: ["estimates"],
  summary: "Plan how many items to ask, from the errors that the bundle has measured",
  request: { params: VersionParams, query: PlanQuery },
  responses: { 200: json(PlanSchema, "The precision of each form, and what is needed"), ...MOVED, ...QUERY_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const plan = planFromBundle(await c.var.bundles.bundle(c.req.valid("param")), c.req.valid("query"));
  c.header("cache-control", IMMUTABLE);
  return c.json(plan, 200);
};

export const readPlan = { route, handler };

import { z } from "@hono/zod-openapi";

const fraction = (description: string) => z.coerce.number().exactOptional().openapi({ type: "number", description });

/** Mirrors `PlanOptions` of anchoreval, as a query. */
export const PlanQuery = z.strictObject({
  halfWidth: fraction("Half-width that intervals of a score shall have at most, a fraction in (0,1)."),
  gap: fraction("True gap between two models that shall be ranked right, a fraction in (0,1). Not with `halfWidth`."),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap shall be ranked right, in (½,1). Default 0.8."),
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

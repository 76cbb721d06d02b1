import { z } from "@hono/zod-openapi";
import { answerSchema } from "./fields.ts";

export const fraction = (description: string) =>
  z.coerce.number().exactOptional().openapi({ type: "number", description });

export const PrecisionSchema = answerSchema("Precision", {
  items: z.number(),
  of: z.number(),
  halfWidth: z.number(),
  gap: z.number(),
  basis: z.enum(["measured", "between", "beyond", "predicted"]),
});

export const PlannedFormSchema = answerSchema("PlannedForm", {
  form: z.string().nullable(),
  overall: PrecisionSchema,
  scenarios: z.record(z.string(), PrecisionSchema),
});

export const PLAN_OPTIONS = {
  halfWidth: fraction("Wanted half-width of a score's interval, a fraction in (0,1)."),
  gap: fraction(
    "True gap between two models that should be ranked correctly, a fraction in (0,1). Not with `halfWidth`.",
  ),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap should be ranked correctly, in (½,1). Default 0.8."),
};

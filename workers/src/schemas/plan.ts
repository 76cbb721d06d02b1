import { z } from "@hono/zod-openapi";
import { answerSchema } from "./fields.ts";

/** A number of a query. */
export const fraction = (description: string) =>
  z.coerce.number().exactOptional().openapi({ type: "number", description });

/** How near a number of items comes. */
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

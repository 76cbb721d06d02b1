import type { ZodOpenAPIMetadata } from "@asteasolutions/zod-to-openapi";
import { z } from "@hono/zod-openapi";

type About = Partial<ZodOpenAPIMetadata>;

export function described<Schema extends z.ZodType>(schema: Schema, description: string): Schema {
  return schema.openapi({ description });
}

/** An object of answers, by its name in the document; it may gain fields. */
export function answerSchema<Fields extends z.ZodRawShape>(name: string, fields: Fields, about: About = {}) {
  return z.object(fields).openapi(name, about);
}

/** An object of requests, by its name in the document. Unknown fields are refused, so that no misspelt option is ignored. */
export function requestSchema<Fields extends z.ZodRawShape>(name: string, fields: Fields, about: About = {}) {
  return z.strictObject(fields).openapi(name, about);
}

export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.exactOptional().openapi({ description });
}

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export const IntervalSchema = answerSchema(
  "Interval",
  {
    low: z.number(),
    high: z.number(),
    level: described(z.number(), "Confidence level, in (0,1)."),
    method: z.enum(["design-based", "conformal", "cross-validated", "exact", "predicted"]),
  },
  {
    description:
      "Covers the score that this run would have had on all items of this benchmark version; it says nothing of sampling noise, other prompts or other items.",
  },
);

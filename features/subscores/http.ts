import { z } from "@hono/zod-openapi";
import { answerSchema, described, IntervalSchema, optional } from "../../workers/src/schemas/fields.ts";

const SubscoreSchema = answerSchema(
  "Subscore",
  {
    scenario: z.string(),
    name: z.string(),
    items: described(z.number().int(), "Items of the group."),
    answered: described(z.number().int(), "Those that count as answered."),
    score: described(z.number().nullable(), "A fraction in [0,1]; null where too little is known to say one."),
    interval: IntervalSchema.nullable(),
    status: z.enum(["exact", "measured", "too_few_items", "too_few_models"]),
    reason: described(z.string().nullable(), "Why `score` or `interval` is null."),
  },
  { description: "The score of a group of items inside a scenario." },
);

/** Scores of groups of items beside an estimate. */
export const subscoresField = { subscores: z.array(SubscoreSchema).readonly().exactOptional() };

/** The field of a request that asks for them. */
export const subscoresAsked = {
  subscores: optional(
    z.union([z.boolean(), z.array(z.string()).readonly()]),
    "Scores of the bundle's groups of items as well: true for all, or names of some.",
  ),
};

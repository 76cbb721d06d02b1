import { z } from "@hono/zod-openapi";
import { answerSchema, described } from "../../workers/src/schemas/fields.ts";

const CostSchema = answerSchema(
  "AnswerCost",
  {
    unit: described(z.string().nullable(), "Of dollars, tokens or seconds; null if the bundle doesn't say."),
    answered: described(z.number().int(), "Anchors that were answered."),
    cost: described(z.number(), "Of all their trials."),
    items: described(z.number().int(), "Items of the whole benchmark."),
    whole: described(z.number(), "What as many trials of each of them would have cost."),
  },
  { description: "What the answers cost, if the bundle was fitted by prices." },
);

/** The cost of an estimate's answers. */
export const costField = { cost: CostSchema.exactOptional() };

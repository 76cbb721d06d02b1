import { z } from "@hono/zod-openapi";
import { fraction } from "../../workers/src/schemas/plan.ts";
import { answerSchema, described, optional } from "../../workers/src/schemas/fields.ts";

const unit = described(z.string().nullable(), "Of dollars, tokens or seconds; null if the bundle doesn't say.");

/** Of answers, or of the chosen one of a plan. */
const beside = optional(
  z.array(answerSchema("CostOfWhole", { unit, cost: z.number(), whole: z.number() })).readonly(),
  "By measures that chose no anchors.",
);

const CostSchema = answerSchema(
  "AnswerCost",
  {
    unit,
    answered: described(z.number().int(), "Anchors that were answered."),
    cost: described(z.number(), "Of all their trials."),
    items: described(z.number().int(), "Items of the whole benchmark."),
    whole: described(z.number(), "What as many trials of each of them would have cost."),
    beside,
  },
  { description: "What the answers cost, if the bundle was fitted by prices." },
);

/** The cost of an estimate's answers. */
export const costField = { cost: CostSchema.exactOptional() };

/** Of a request for a plan. */
export const budgetField = {
  budget: fraction("The most that the answers may cost, if the bundle was fitted by prices. Not with `gap`."),
};

const ScenarioChoiceSchema = answerSchema("ScenarioChoice", {
  form: z.string(),
  scenarios: described(z.array(z.string()).readonly(), "To ask; the others are predicted."),
  cost: z.number(),
  halfWidth: z.number(),
});

/** Of a plan: there if the bundle was fitted by prices, and no gap is asked for. */
export const PRICE_FIELDS = {
  unit: described(z.string().nullable(), "Of the prices.").exactOptional(),
  budget: z.number().nullable().exactOptional(),
  whole: optional(z.number(), "The price of all items of the benchmark."),
  choices: optional(z.array(ScenarioChoiceSchema).readonly(), "The cheapest first, each narrower than all before."),
  chosen: described(
    ScenarioChoiceSchema.nullable(),
    "The cheapest that is as narrow as was asked for, else the narrowest within the budget.",
  ).exactOptional(),
  beside,
  predicting: optional(z.boolean(), "Some scenarios may be left to prediction."),
};

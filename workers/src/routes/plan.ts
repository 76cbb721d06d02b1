import { z } from "@hono/zod-openapi";
import { planRequest } from "anchoreval/internal/features/sdk-plan";
import { IMMUTABLE } from "../http/send-content.ts";
import { OTHERWISE, VersionParams } from "../schemas/contract.ts";
import { answerSchema, described, json, optional } from "../schemas/fields.ts";
import { operation, route } from "./route.ts";

const fraction = (description: string) => z.coerce.number().exactOptional().openapi({ type: "number", description });

export const PlanQuery = z.strictObject({
  halfWidth: fraction("Wanted half-width of a score's interval, a fraction in (0,1)."),
  gap: fraction(
    "True gap between two models that should be ranked correctly, a fraction in (0,1). Not with `halfWidth`.",
  ),
  level: fraction("Confidence level of the intervals, in (0,1). Default 0.95."),
  rankedRight: fraction("How often the gap should be ranked correctly, in (½,1). Default 0.8."),
  budget: fraction("The most that the answers may cost, if the bundle was fitted by prices. Not with `gap`."),
  trials: z
    .string()
    .regex(/^\d+(,\d+){0,99}$/, "trials are whole numbers with commas between them, such as 1,3,5")
    .transform((text) => text.split(",").map(Number))
    .exactOptional()
    .openapi({
      type: "string",
      description:
        "Trials an item, such as `1,3,5`: plans for the expected score over runs, and not for a gap or a budget.",
      example: "1,3,5",
    }),
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

const ScenarioChoiceSchema = answerSchema("ScenarioChoice", {
  form: z.string(),
  scenarios: described(z.array(z.string()).readonly(), "To ask; the others are predicted."),
  cost: z.number(),
  halfWidth: z.number(),
});

/** There if the bundle was fitted by prices, and no gap is asked for. */
const PRICE_FIELDS = {
  unit: described(z.string().nullable(), "Of the prices.").exactOptional(),
  budget: z.number().nullable().exactOptional(),
  whole: optional(z.number(), "The price of all items of the benchmark."),
  choices: optional(z.array(ScenarioChoiceSchema).readonly(), "The cheapest first, each narrower than all before."),
  chosen: described(
    ScenarioChoiceSchema.nullable(),
    "The cheapest that is as narrow as was asked for, else the narrowest within the budget.",
  ).exactOptional(),
  predicting: optional(z.boolean(), "Some scenarios may be left to prediction."),
};

export const PlanSchema = answerSchema("Plan", {
  benchmark: z.string(),
  version: z.string(),
  level: z.number(),
  rankedRight: z.number(),
  forms: z.array(PlannedFormSchema).readonly(),
  wanted: z.union([z.object({ halfWidth: z.number() }), z.object({ gap: z.number() })]).nullable(),
  needed: PlannedFormSchema.nullable(),
  enough: z.string().nullable(),
  ...PRICE_FIELDS,
});

const ItemsByTrialsSchema = answerSchema("ItemsByTrials", {
  items: z.number(),
  trials: described(z.number(), "Of each item; of all items on the mean, if some are asked once more than others."),
  answers: z.number(),
  price: described(z.number(), "In prices of an item's first trial."),
  halfWidth: described(z.number(), "Of the expected score's interval, that nine models in ten have at most."),
});

export const TrialPlanSchema = answerSchema(
  "TrialPlan",
  {
    benchmark: z.string(),
    version: z.string(),
    level: z.number(),
    of: z.number(),
    forms: z
      .array(
        z.object({
          form: z.string(),
          basis: PrecisionSchema.shape.basis,
          choices: z.array(ItemsByTrialsSchema).readonly(),
        }),
      )
      .readonly(),
    wanted: z.number().nullable(),
    enough: described(z.array(ItemsByTrialsSchema).readonly(), "The fewest items for each number of trials."),
  },
  { description: "The answer to a request with `trials`." },
);

export const readPlan = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/plan",
    ...operation("estimates", "readPlan", "Plan how many items to ask, from the errors that the bundle has measured"),
    request: { params: VersionParams, query: PlanQuery },
    responses: {
      200: json(z.union([PlanSchema, TrialPlanSchema]), "The precision of each form, and what is needed"),
      ...OTHERWISE.query,
    },
  },
  async (c) => {
    const plan = planRequest(await c.var.bundles.bundle(c.req.valid("param")), c.req.valid("query"));
    c.header("cache-control", IMMUTABLE);
    return c.json(plan, 200);
  },
);

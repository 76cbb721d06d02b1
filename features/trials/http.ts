import { z } from "@hono/zod-openapi";
import type { TrialsRequest } from "anchoreval";
import { ANSWER_FIELDS, EstimateWarningSchema, SCORE, textsSchema } from "../../workers/src/schemas/estimate.ts";
import { answerSchema, described, IntervalSchema, optional } from "../../workers/src/schemas/fields.ts";
import { PrecisionSchema } from "../../workers/src/schemas/plan.ts";

const TrialIntervalsSchema = answerSchema("TrialIntervals", {
  run: described(IntervalSchema.nullable(), "For the score that this run would have got on all items."),
  expected: described(IntervalSchema.nullable(), "For the model's expected score over runs on these items."),
  tasks: described(IntervalSchema.nullable(), "For the model's expected score on tasks like these."),
  runDeviation: described(z.number().nullable(), "Standard deviation of the score of all items from run to run."),
  basis: described(
    z.enum(["trials", "components", "bound"]).nullable(),
    "How that is known: by this model's trials, by the source models', or at most.",
  ),
});

const TrialsSchema = answerSchema(
  "Trials",
  {
    count: described(z.number().int(), "Trials with a score, over all items."),
    perItem: described(z.number(), "Trials an item, the harmonic mean."),
    overall: TrialIntervalsSchema,
    scenarios: z.record(z.string(), TrialIntervalsSchema),
  },
  { description: "Intervals over runs and tasks, if an item has trials, or `over` asks for them." },
);

/** Beside an estimate by scores. */
export const trialsField = { trials: TrialsSchema.exactOptional() };

const pass = {
  score: z.number().nullable(),
  interval: z
    .object({ low: z.number(), high: z.number(), level: z.number() })
    .nullable()
    .openapi({ description: "For the chances themselves, on all items of this benchmark version." }),
  reason: described(z.string().nullable(), "Why `score` or `interval` is null."),
  answered: z.number().int(),
  of: z.number().int(),
};

/** The answer to a request with `metric`. @param remarks - beside every estimate */
export const passEstimate = <Remarks extends z.ZodRawShape>(remarks: Remarks) =>
  answerSchema(
    "PassEstimate",
    {
      benchmark: z.string(),
      version: z.string(),
      form: z.string(),
      digest: z.string(),
      metric: described(z.string(), "As it was asked for, such as `pass@16`."),
      basis: described(z.enum(["unbiased", "spread"]), "From unbiased estimates, or from how chances vary."),
      ...pass,
      warnings: z.array(EstimateWarningSchema).readonly(),
      scenarios: z.record(z.string(), z.object(pass).openapi("PassResult")),
      ...remarks,
    },
    { description: "The answer to a request with `metric`." },
  );

const COUNT = { type: "integer" as const, minimum: 0 };
const SCORE_OR_TRIALS = {
  anyOf: [
    SCORE,
    { type: "array" as const, items: SCORE, minItems: 1 },
    {
      type: "object" as const,
      properties: { passed: COUNT, of: { ...COUNT, minimum: 1 } },
      required: ["passed", "of"],
      additionalProperties: false,
    },
  ],
};

/** As {@link ResponsesSchema}, with an item's trials in place of its score. */
const TrialResponsesSchema = z
  .custom<TrialsRequest["responses"]>((value) => value !== undefined, "answers are missing")
  .openapi({
    type: ["object", "array"],
    description:
      'Scores in [0,1] by item id, null = no answer, or an item\'s trials: `[1, 0, 1]`, `{"passed": 3, "of": 5}`. Or an array of them in the order of the form\'s anchors, with `formDigest`.',
    additionalProperties: SCORE_OR_TRIALS,
    items: SCORE_OR_TRIALS,
  });

/** The same of a model whose items may have been tried several times. */
export const TRIAL_FIELDS = {
  ...ANSWER_FIELDS,
  responses: TrialResponsesSchema,
  over: optional(
    z.enum(["runs", "tasks"]),
    "Adds intervals over runs and tasks (`trials`) to an estimate from single answers, too.",
  ),
  clusters: textsSchema(
    "clusters are an object of item id → group",
    "The group of each item whose answers go together, for intervals over tasks.",
  ).exactOptional(),
  metric: optional(z.string(), "A score of several trials in place of their mean: pass@K, pass^K or best-of-K."),
};

/** Of a request for a plan. */
export const trialsQuery = {
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
};

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

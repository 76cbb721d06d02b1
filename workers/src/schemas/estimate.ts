import { z } from "@hono/zod-openapi";
import type { EstimateRequest, TrialsRequest } from "anchoreval";
import { ALL_ESTIMATORS, ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { SUSPICIONS } from "anchoreval/internal/core/person-fit/answer-pattern";
import { ESTIMATE_FIELDS, ESTIMATE_REMARKS } from "../../../features/http-estimate.ts";
import { answerSchema, described, IntervalSchema, optional, requestSchema } from "./fields.ts";

export const EstimateWarningSchema = answerSchema("EstimateWarning", {
  code: z.enum([
    "stronger_than_any_seen",
    "weaker_than_any_seen",
    "missing_answers",
    "changed_items_dropped",
    "other_items",
    "unknown_items",
    "no_interval",
    "ability_not_converged",
    "suspicious_pattern",
    "beyond_items",
    "few_source_models",
    "estimated_separately",
    "predicted_scenario",
    "other_trials",
    "unchecked_manifest",
    "unknown_part",
    "yanked_version",
  ]),
  scenario: z.string().exactOptional(),
  count: optional(z.number().int(), "Answers that it is about, where it counts them."),
  message: z.string(),
});

const ScenarioPatternSchema = answerSchema("ScenarioPattern", {
  lzStar: described(z.number().nullable(), "Low if right and wrong answers don't follow difficulty."),
  infit: z.number().nullable(),
  outfit: z.number().nullable(),
  preknowledge: described(z.number().nullable(), "High if hard items are unexpectedly right."),
  brokenRun: described(z.number(), "Above 0 if hardly anything is right, in nats."),
  disorder: optional(z.number(), "If there are no thresholds: suspicious above 2, in nats."),
  suspicions: described(
    z.array(z.enum(SUSPICIONS)).readonly().nullable(),
    "By the bundle's thresholds, or by `disorder`; null for too few answers.",
  ),
});

/** Mirrors the core's `ByEstimator`: `score-map` only for forms that have one. */
function byEstimator<Figure extends z.ZodType>(figure: Figure) {
  const every = Object.fromEntries(ESTIMATORS.map((id) => [id, figure])) as Record<(typeof ESTIMATORS)[number], Figure>;
  return z.object({ ...every, "score-map": figure.exactOptional() });
}

const ScenarioDetailsSchema = answerSchema("ScenarioDetails", {
  theta: described(z.array(z.number()).readonly(), "Ability, one number per dimension."),
  thetaStandardError: z.array(z.number()).readonly(),
  thetaStatus: z.enum(["converged", "max-iterations"]),
  evidence: described(
    z.enum(["alone", "together"]),
    "Answers that the score rests on: those to its scenario alone, or to all.",
  ),
  lambda: described(z.number(), "λ of gp-irt."),
  estimator: described(z.enum(ALL_ESTIMATORS), "The estimator that gave `score`."),
  estimators: byEstimator(z.number()),
  outside: described(
    z.object({ above: z.number(), below: z.number() }),
    "Probability that the full score is above or below that of every source model.",
  ),
  pattern: ScenarioPatternSchema,
});

const ScenarioResultSchema = answerSchema("ScenarioResult", {
  score: z.number().nullable(),
  predicted: optional(z.literal(true), "Not asked: the score is predicted from the other scenarios' scores."),
  interval: IntervalSchema.nullable(),
  reason: described(z.string().nullable(), "Why `score` or `interval` is null."),
  exact: described(z.boolean(), "Every item was answered."),
  answered: z.number().int(),
  of: z.number().int(),
  answeredShare: described(z.number(), "Answered share of the anchors' weight."),
  range: described(z.enum(["inside", "edge", "outside"]).nullable(), "Position among the source models."),
  percentile: described(z.number().nullable(), "Share of source models with a lower full score."),
  details: ScenarioDetailsSchema.nullable(),
});

export const EstimateSchema = answerSchema("Estimate", {
  benchmark: z.string(),
  version: z.string(),
  form: z.string(),
  digest: described(z.string(), "Digest of the bundle, `sha256:…`."),
  score: described(z.number().nullable(), "Overall score, a fraction in [0,1]."),
  predicted: optional(z.literal(true), "`score` counts scenarios that weren't asked."),
  interval: IntervalSchema.nullable(),
  reason: described(z.string().nullable(), "Why `score` or `interval` is null."),
  answered: z.number().int(),
  of: z.number().int(),
  warnings: z.array(EstimateWarningSchema).readonly(),
  estimand: optional(z.string(), "What the scores are, if not the plain mean over the items."),
  scenarios: z.record(z.string(), ScenarioResultSchema),
});

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

/** An estimate by scores or by trials, as it is served. */
const ServedEstimateSchema = EstimateSchema.extend({
  trials: TrialsSchema.exactOptional(),
  ...ESTIMATE_REMARKS,
}).openapi("ServedEstimate");

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

const PassEstimateSchema = answerSchema(
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
    ...ESTIMATE_REMARKS,
  },
  { description: "The answer to a request with `metric`." },
);

/** Any estimate: one with `metric` is of that. */
export const AnyEstimateSchema = z.union([PassEstimateSchema, ServedEstimateSchema]);

const SCORE = { type: ["number", "boolean", "null"] as ["number", "boolean", "null"], minimum: 0, maximum: 1 };

/**
 * Answers by item id, or in the order of a form. They are not parsed here: `estimateFromAnchors` checks each and reports
 * an issue for every bad one, and zod's records would silently drop `__proto__`.
 */
const ResponsesSchema = z
  .custom<EstimateRequest["responses"]>((value) => value !== undefined, "answers are missing")
  .openapi({
    type: ["object", "array"],
    description:
      "Scores in [0,1] by item id, true and false for 1 and 0, null = no answer; or an array in the order of the form's anchors, with `formDigest`.",
    additionalProperties: SCORE,
    items: SCORE,
  });

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

/** Texts by item id. */
function textsSchema(message: string, description: string) {
  return z
    .custom<Record<string, string>>(
      (value) =>
        typeof value === "object" &&
        value !== null &&
        !Array.isArray(value) &&
        Object.values(value).every((text) => typeof text === "string"),
      message,
    )
    .openapi({ type: "object", description, additionalProperties: { type: "string" } });
}

const HashesSchema = textsSchema(
  "hashes are an object of item id → SHA-256",
  "Content hashes of the answered items, if the harness knows them.",
);

/** The answers of one model with their options. */
export const ANSWER_FIELDS = {
  responses: ResponsesSchema,
  form: optional(z.string(), "Inferred if the answered items leave no doubt."),
  formDigest: optional(z.string(), "Required with an array of answers."),
  digest: optional(z.string(), "Digest of the bundle that the answers belong to; another bundle refuses them (409)."),
  level: optional(z.number(), "Confidence level, in (0,1). Default 0.95."),
  hashes: HashesSchema.exactOptional(),
  onChangedItem: optional(
    z.enum(["error", "drop"]),
    "How to treat an item with another content hash: refuse (default), or count the answer as missing.",
  ),
};

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
  ...ESTIMATE_FIELDS,
};

export const EstimateRequestSchema = requestSchema("EstimateRequest", TRIAL_FIELDS, {
  example: { responses: { "gsm/17": 1, "gsm/42": 0 } },
});

export const BatchEntrySchema = requestSchema(
  "BatchEntry",
  {
    model: described(z.string().min(1), "Any name; the results repeat it."),
    ...TRIAL_FIELDS,
  },
  { example: { model: "my-model", responses: { "gsm/17": 1, "gsm/42": 0 } } },
);

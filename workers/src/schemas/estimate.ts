import { z } from "@hono/zod-openapi";
import type { EstimateRequest } from "anchoreval";
import { ALL_ESTIMATORS, ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { SUSPICIONS } from "anchoreval/internal/core/person-fit/answer-pattern";
import { answerSchema, described, IntervalSchema, optional } from "./fields.ts";

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

export const SCORE = { type: ["number", "boolean", "null"] as ["number", "boolean", "null"], minimum: 0, maximum: 1 };

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

export function textsSchema(message: string, description: string) {
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

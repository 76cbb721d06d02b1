import { z } from "@hono/zod-openapi";
import { ALL_ESTIMATORS, SUSPICIONS } from "anchoreval/core";
import { byEstimator } from "./by-estimator.ts";

/** Mirrors `Interval` of anchoreval. */
export const IntervalSchema = z
  .object({
    low: z.number(),
    high: z.number(),
    level: z.number().openapi({ description: "Confidence level, in (0,1)." }),
    method: z.enum(["design-based", "conformal", "cross-validated", "exact"]),
  })
  .openapi("Interval", {
    description:
      "For the score that this run would have got on all items of this benchmark version: not sampling noise, other prompts or other items.",
  });

/** Mirrors `EstimateWarning` of anchoreval. */
export const EstimateWarningSchema = z
  .object({
    code: z.enum([
      "stronger_than_any_seen",
      "weaker_than_any_seen",
      "missing_answers",
      "changed_items_dropped",
      "no_interval",
      "ability_not_converged",
      "suspicious_pattern",
      "exposure_not_limited",
      "yanked_version",
    ]),
    scenario: z.string().exactOptional(),
    message: z.string(),
  })
  .openapi("EstimateWarning");

/** Mirrors `ScenarioPattern` of anchoreval. */
export const ScenarioPatternSchema = z
  .object({
    lzStar: z.number().nullable().openapi({ description: "Low where right and wrong don't follow difficulty." }),
    infit: z.number().nullable(),
    outfit: z.number().nullable(),
    preknowledge: z.number().nullable().openapi({ description: "High where hard items are right unexpectedly." }),
    brokenRun: z.number().openapi({ description: "Above 0 where hardly anything is right, in nats." }),
    suspicions: z
      .array(z.enum(SUSPICIONS))
      .readonly()
      .nullable()
      .openapi({ description: "By the bundle's thresholds; null where there are none, or too few answers." }),
  })
  .openapi("ScenarioPattern");

/** Mirrors `ScenarioDetails` of anchoreval. */
export const ScenarioDetailsSchema = z
  .object({
    theta: z.array(z.number()).readonly().openapi({ description: "Ability, one number a dimension." }),
    thetaStandardError: z.array(z.number()).readonly(),
    thetaStatus: z.enum(["converged", "max-iterations"]),
    evidence: z.enum(["alone", "together"]).openapi({ description: "Answers that the score rests on: its own bank's, or all." }),
    lambda: z.number().openapi({ description: "λ of gp-irt." }),
    estimator: z.enum(ALL_ESTIMATORS).openapi({ description: "The estimator that `score` is." }),
    estimators: byEstimator(z.number()),
    outside: z
      .object({ above: z.number(), below: z.number() })
      .openapi({ description: "Probability that the full score lies above or below every source model's." }),
    pattern: ScenarioPatternSchema,
  })
  .openapi("ScenarioDetails");

/** Mirrors `ScenarioResult` of anchoreval. */
export const ScenarioResultSchema = z
  .object({
    score: z.number().nullable(),
    interval: IntervalSchema.nullable(),
    reason: z.string().nullable().openapi({ description: "Why `score` or `interval` is null." }),
    exact: z.boolean().openapi({ description: "Every item was answered." }),
    answered: z.number().int(),
    of: z.number().int(),
    answeredShare: z.number().openapi({ description: "Answered share of the anchors' weight." }),
    range: z.enum(["inside", "edge", "outside"]).nullable().openapi({ description: "Against the models seen." }),
    percentile: z.number().nullable().openapi({ description: "Share of source models with a lower full score." }),
    details: ScenarioDetailsSchema.nullable(),
  })
  .openapi("ScenarioResult");

/** Mirrors `Estimate` of anchoreval. */
export const EstimateSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    form: z.string(),
    digest: z.string().openapi({ description: "Digest of the bundle, `sha256:…`." }),
    score: z.number().nullable().openapi({ description: "Overall score, a fraction in [0,1]." }),
    interval: IntervalSchema.nullable(),
    reason: z.string().nullable().openapi({ description: "Why `score` or `interval` is null." }),
    answered: z.number().int(),
    of: z.number().int(),
    warnings: z.array(EstimateWarningSchema).readonly(),
    scenarios: z.record(z.string(), ScenarioResultSchema),
  })
  .openapi("Estimate");

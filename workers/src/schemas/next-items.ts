import { z } from "@hono/zod-openapi";
import { MAX_STATE } from "../adaptive/session-state.ts";
import { EstimateWarningSchema } from "./estimate.ts";
import { ANSWER_FIELDS } from "./estimate-request.ts";

const { responses } = ANSWER_FIELDS;
const SideSchema = z.strictObject({ responses }).openapi("AdaptiveSide");

/** Mirrors `AdaptiveOptions` of anchoreval. */
const AdaptiveOptionsSchema = z
  .strictObject({
    models: z.literal([1, 2]).exactOptional().openapi({ description: "2 are asked the same items. Default 1." }),
    scenarios: z.array(z.string()).max(1000).readonly().exactOptional().openapi({ description: "Default: all." }),
    goal: z
      .enum(["score", "ability"])
      .exactOptional()
      .openapi({ description: "`ability`: the most informative items are chosen, and there is no score." }),
    batch: z.number().exactOptional().openapi({ description: "Items at once. Default 10." }),
    budget: z.number().exactOptional().openapi({ description: "Items at most. Default 200." }),
    level: z.number().exactOptional().openapi({ description: "Confidence level in (0,1). Default 0.95." }),
    stop: z
      .strictObject({
        halfWidth: z.number().exactOptional().openapi({ description: "The interval is at most this to either side." }),
        threshold: z.number().exactOptional().openapi({ description: "The score is surely above this, or below." }),
        better: z.boolean().exactOptional().openapi({ description: "One of two models is surely better." }),
        standardError: z.number().exactOptional().openapi({ description: "Of the ability; goal `ability`." }),
      })
      .exactOptional()
      .openapi({ description: "When to stop before the budget is spent." }),
  })
  .openapi("AdaptiveOptions");

/** Mirrors `NextItemsRequest` of anchoreval. */
export const NextItemsRequestSchema = z
  .strictObject({
    begin: AdaptiveOptionsSchema.exactOptional().openapi({ description: "Begins an evaluation." }),
    state: z.string().max(MAX_STATE).exactOptional().openapi({ description: "Goes on with one: the last `state`." }),
    responses: responses.exactOptional().openapi({ description: "With `state`: scores of the items just asked." }),
    a: SideSchema.exactOptional().openapi({ description: "With `state`, of two models." }),
    b: SideSchema.exactOptional(),
  })
  .openapi("NextItemsRequest", { example: { begin: { stop: { halfWidth: 0.03 } } } });

const AdaptiveIntervalSchema = z
  .object({
    low: z.number(),
    high: z.number(),
    level: z.number(),
    method: z.enum(["design-based", "sequential", "exact"]),
  })
  .openapi("AdaptiveInterval");

const score = {
  score: z.number().nullable(),
  interval: AdaptiveIntervalSchema.nullable(),
  reason: z.string().nullable().openapi({ description: "Why score or interval is null." }),
};

const AdaptiveModelSchema = z
  .object({
    ...score,
    answered: z.number().int(),
    scenarios: z.record(z.string(), z.object({ ...score, answered: z.number().int() }).openapi("AdaptiveScenario")),
    abilities: z.record(
      z.string(),
      z.object({ theta: z.array(z.number()).readonly(), standardError: z.array(z.number()).readonly() }),
    ),
  })
  .openapi("AdaptiveModel");

/** Mirrors `AdaptiveTurn` of anchoreval. */
export const AdaptiveTurnSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    digest: z.string(),
    items: z
      .array(
        z
          .object({
            item_id: z.string(),
            scenario: z.string(),
            subscenario: z.string().exactOptional(),
            hash: z.string().exactOptional(),
          })
          .openapi("AdaptiveItem"),
      )
      .readonly()
      .openapi({ description: "To ask next; none once it has stopped." }),
    stopped: z
      .object({
        rule: z.enum(["half-width", "threshold", "better", "standard-error", "budget", "all-items"]),
        verdict: z.enum(["above", "below", "a-better", "b-better"]).nullable(),
        message: z.string(),
      })
      .nullable(),
    plan: z.object({
      models: z.literal([1, 2]),
      scenarios: z.array(z.string()).readonly(),
      goal: z.enum(["score", "ability"]),
      batch: z.number().int(),
      budget: z.number().int(),
      level: z.number(),
      lookLevel: z.number().openapi({ description: "Level of each look's interval, so that all hold together." }),
      stop: AdaptiveOptionsSchema.shape.stop.unwrap(),
    }),
    asked: z.number().int(),
    model: AdaptiveModelSchema.nullable().openapi({ description: "One model." }),
    pair: z
      .object({
        a: AdaptiveModelSchema,
        b: AdaptiveModelSchema,
        difference: z.number().nullable().openapi({ description: "S_B − S_A." }),
        interval: AdaptiveIntervalSchema.nullable(),
        reason: z.string().nullable(),
      })
      .nullable()
      .openapi({ description: "Two models." }),
    warnings: z.array(EstimateWarningSchema).readonly(),
    state: z.string().nullable().openapi({ description: "To send back with the answers; null at the end." }),
  })
  .openapi("AdaptiveTurn");

import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import type { AdaptiveAnswers, NextItemsRequest } from "anchoreval";
import { beginAdaptive, continueAdaptive, type AdaptiveProgress } from "anchoreval/internal/adaptive/adaptive-session";
import {
  MAX_STATE,
  newSession,
  readSession,
  sessionDraws,
  sessionKeys,
  signSession,
  type SignedSession,
} from "../adaptive-session.ts";
import type { AppEnv } from "../context.ts";
import { duplicateKeys, limitBody, refuseDuplicates } from "../http/request-body.ts";
import { HttpProblem } from "../problem.ts";
import { json, jsonBody, NEXT_ITEMS_PROBLEMS, VersionOrLatestParams } from "../schemas/contract.ts";
import { ANSWER_FIELDS, EstimateWarningSchema } from "../schemas/estimate.ts";
import { noteAnswers } from "./estimates.ts";

const { responses } = ANSWER_FIELDS;
const SideSchema = z.strictObject({ responses }).openapi("AdaptiveSide");

/** Mirrors `AdaptiveOptions` of anchoreval. */
const AdaptiveOptionsSchema = z
  .strictObject({
    models: z
      .literal([1, 2])
      .exactOptional()
      .openapi({ description: "Two models are asked the same items. Default 1." }),
    scenarios: z.array(z.string()).max(1000).readonly().exactOptional().openapi({ description: "Default: all." }),
    goal: z
      .enum(["score", "ability"])
      .exactOptional()
      .openapi({ description: "`ability` chooses the most informative items and gives no score." }),
    batch: z.number().exactOptional().openapi({ description: "Items per turn. Default 10." }),
    budget: z.number().exactOptional().openapi({ description: "Most items. Default 200." }),
    level: z.number().exactOptional().openapi({ description: "Confidence level, in (0,1). Default 0.95." }),
    stop: z
      .strictObject({
        halfWidth: z.number().exactOptional().openapi({ description: "The interval's half-width is at most this." }),
        threshold: z.number().exactOptional().openapi({ description: "The score is surely above or below this." }),
        better: z.boolean().exactOptional().openapi({ description: "One of the two models is surely better." }),
        standardError: z
          .number()
          .exactOptional()
          .openapi({ description: "The ability's standard error is at most this; goal `ability`." }),
      })
      .exactOptional()
      .openapi({ description: "When to stop before the budget is spent." }),
  })
  .openapi("AdaptiveOptions");

/** Mirrors `NextItemsRequest` of anchoreval. */
export const NextItemsRequestSchema = z
  .strictObject({
    begin: AdaptiveOptionsSchema.exactOptional().openapi({ description: "Begins an evaluation." }),
    state: z.string().max(MAX_STATE).exactOptional().openapi({ description: "Continues one: the last `state`." }),
    responses: responses.exactOptional().openapi({ description: "With `state`: scores of the items just asked." }),
    a: SideSchema.exactOptional().openapi({ description: "With `state`, for two models." }),
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
  reason: z.string().nullable().openapi({ description: "Why `score` or `interval` is null." }),
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
      .openapi({ description: "The items to ask next; none once it has stopped." }),
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
      lookLevel: z.number().openapi({ description: "Level of the interval at each look, so that all hold together." }),
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

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/next-items",
  operationId: "createNextItems",
  tags: ["adaptive"],
  summary: "Choose the items to ask a model next from its answers so far, or stop",
  middleware: limitBody,
  request: { params: VersionOrLatestParams, body: jsonBody(NextItemsRequestSchema) },
  responses: { 200: json(AdaptiveTurnSchema, "The next items, and the results so far"), ...NEXT_ITEMS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const request = c.req.valid("json");
  noteAnswers(c, [request.responses, request.a?.responses, request.b?.responses]);
  refuseDuplicates(duplicateKeys(await c.req.text()));
  const ref = c.req.valid("param");
  const now = c.var.now();
  const keys = await sessionKeys(c.env);
  const opened = request.state === undefined ? null : await readSession(request.state, keys, now);
  const answers = opened && answersOf(request);
  const options = opened === null ? optionsOf(request) : null;
  const [pool, warn] = await Promise.all([c.var.bundles.itemPool(ref), c.var.bundles.yankedWarning(ref)]);
  c.var.notes.version = pool.version;
  const key = opened?.key ?? keys[0]!;
  const { id, expires } = opened?.signed ?? newSession(now);
  const draws = await sessionDraws(key, id);
  const progress: AdaptiveProgress =
    opened === null
      ? beginAdaptive(pool, options!, draws)
      : continueAdaptive(pool, opened.signed.session, answers!, draws);
  const { session, step } = progress;
  const signed: SignedSession = { v: 1, id, expires, session };
  return c.json(warn({ ...step, state: step.stopped === null ? await signSession(signed, key) : null }), 200);
};

function optionsOf({ begin, responses, a, b }: NextItemsRequest): NonNullable<NextItemsRequest["begin"]> {
  if (begin === undefined || responses !== undefined || a !== undefined || b !== undefined)
    throw new HttpProblem("invalid_request", "send `begin` to begin an evaluation, or `state` with the answers");
  return begin;
}

function answersOf({ begin, responses, a, b }: NextItemsRequest): AdaptiveAnswers {
  if (begin === undefined && responses !== undefined && a === undefined && b === undefined) return { responses };
  if (begin === undefined && responses === undefined && a !== undefined && b !== undefined) return { a, b };
  throw new HttpProblem(
    "invalid_request",
    "send `state` with `responses`, or with `a` and `b` for two models, and nothing else",
  );
}

export const createNextItems = { route, handler };

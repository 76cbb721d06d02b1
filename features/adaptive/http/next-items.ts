import { z } from "@hono/zod-openapi";
import type { AdaptiveAnswers, AdaptiveOptions, NextItemsRequest } from "anchoreval";
import { beginAdaptive, continueAdaptive } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import {
  MAX_STATE,
  newSession,
  readSession,
  sessionDraws,
  sessionKeys,
  signSession,
  type SignedSession,
} from "./adaptive-session.ts";
import { BEGIN_COUNTS } from "../../../workers/src/auth/rate-limit.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import { OTHERWISE, problem } from "../../../workers/src/schemas/contract.ts";
import { answerSchema, described, json, optional, requestSchema } from "../../../workers/src/schemas/fields.ts";
import { ANSWER_FIELDS, EstimateWarningSchema } from "../../../workers/src/schemas/estimate.ts";
import { checkAnswers } from "../../../workers/src/routes/estimates.ts";
import { operation, postToBundle, route } from "../../../workers/src/routes/route.ts";

const { responses } = ANSWER_FIELDS;
const SideSchema = z.strictObject({ responses }).openapi("AdaptiveSide");

const GoalSchema = z.enum(["score", "ability"]);
const StopSchema = z.strictObject({
  halfWidth: optional(z.number(), "The interval's half-width is at most this."),
  threshold: optional(z.number(), "The score is surely above or below this."),
  better: optional(z.boolean(), "The score of one of the two runs on all items is surely the higher."),
  standardError: optional(z.number(), "The ability's standard error is at most this; goal `ability`."),
});

const AdaptiveOptionsSchema = requestSchema("AdaptiveOptions", {
  models: optional(z.literal([1, 2]), "Two models are asked the same items. Default 1."),
  scenarios: optional(z.array(z.string()).max(1000).readonly(), "Default: all."),
  goal: optional(GoalSchema, "`ability` chooses the most informative items and gives no score."),
  batch: optional(z.number(), "Items per turn. Default 10."),
  budget: optional(z.number(), "Most items. Default 200."),
  level: optional(z.number(), "Confidence level, in (0,1). Default 0.95."),
  stop: optional(StopSchema, "When to stop before the budget is spent."),
});

export const NextItemsRequestSchema = requestSchema(
  "NextItemsRequest",
  {
    begin: optional(AdaptiveOptionsSchema, "Begins an evaluation."),
    state: optional(z.string().max(MAX_STATE), "Continues one: the last `state`."),
    responses: optional(responses, "With `state`: scores of the items just asked."),
    a: optional(SideSchema, "With `state`, for two models."),
    b: SideSchema.exactOptional(),
  },
  { example: { begin: { stop: { halfWidth: 0.03 } } } },
);

const AdaptiveIntervalSchema = answerSchema("AdaptiveInterval", {
  low: z.number(),
  high: z.number(),
  level: z.number(),
  method: z.enum(["design-based", "sequential", "exact"]),
});

const score = {
  score: z.number().nullable(),
  interval: AdaptiveIntervalSchema.nullable(),
  reason: described(z.string().nullable(), "Why `score` or `interval` is null."),
};
const AbilitySchema = z.object({
  theta: z.array(z.number()).readonly(),
  standardError: z.array(z.number()).readonly(),
});
const AdaptiveScenarioSchema = z.object({ ...score, answered: z.number().int() }).openapi("AdaptiveScenario");

const AdaptiveModelSchema = answerSchema("AdaptiveModel", {
  ...score,
  answered: z.number().int(),
  scenarios: z.record(z.string(), AdaptiveScenarioSchema),
  abilities: z.record(z.string(), AbilitySchema),
});

const AdaptiveItemSchema = answerSchema("AdaptiveItem", {
  item_id: z.string(),
  scenario: z.string(),
  subscenario: z.string().exactOptional(),
  hash: z.string().exactOptional(),
});

const StoppedSchema = z.object({
  rule: z.enum(["half-width", "threshold", "better", "standard-error", "budget", "all-items"]),
  verdict: z.enum(["above", "below", "a-better", "b-better"]).nullable(),
  message: z.string(),
});

const PlanSchema = z.object({
  models: z.literal([1, 2]),
  scenarios: z.array(z.string()).readonly(),
  goal: GoalSchema,
  batch: z.number().int(),
  budget: z.number().int(),
  level: z.number(),
  lookLevel: described(
    z.number(),
    "Level of the interval at each look: so that all hold together, where a rule looks at the score.",
  ),
  stop: StopSchema,
});

const PairSchema = z.object({
  a: AdaptiveModelSchema,
  b: AdaptiveModelSchema,
  difference: described(z.number().nullable(), "S_B − S_A."),
  interval: AdaptiveIntervalSchema.nullable(),
  reason: z.string().nullable(),
});

export const AdaptiveTurnSchema = answerSchema("AdaptiveTurn", {
  benchmark: z.string(),
  version: z.string(),
  digest: z.string(),
  items: described(z.array(AdaptiveItemSchema).readonly(), "The items to ask next; none once it has stopped."),
  stopped: StoppedSchema.nullable(),
  plan: PlanSchema,
  asked: z.number().int(),
  model: described(AdaptiveModelSchema.nullable(), "One model."),
  pair: described(PairSchema.nullable(), "Two models."),
  warnings: z.array(EstimateWarningSchema).readonly(),
  state: described(z.string().nullable(), "To send back with the answers; null at the end."),
});

export const createNextItems = route(
  {
    ...postToBundle("next-items", NextItemsRequestSchema),
    ...operation(
      "adaptive",
      "createNextItems",
      "Choose the items to ask a model next from its answers so far, or stop",
    ),
    responses: {
      200: json(AdaptiveTurnSchema, "The next items, and the results so far"),
      ...OTHERWISE.answers,
      410: problem("The session has expired"),
      501: problem("This Worker signs no sessions: it has no SESSION_KEYS"),
    },
  },
  async (c) => {
    const request = c.req.valid("json");
    const now = c.var.now();
    await checkAnswers(c, request, [request, request.a ?? {}, request.b ?? {}]);
    if (request.state === undefined) await c.var.meter(BEGIN_COUNTS);
    const keys = await sessionKeys(c.var.settings);
    const opened = request.state === undefined ? null : await readSession(request.state, keys, now);
    const begun = opened && { session: opened.signed.session, answers: answersOf(request) };
    const input = begun ?? { options: optionsOf(request) };
    const { bundle, items } = await c.var.bundles.bundleWithItems(c.req.valid("param"));
    const pool = itemPool(bundle, items);
    c.var.notes.version = pool.version;
    const key = opened?.key ?? keys[0]!;
    const { id, expires } = opened?.signed ?? newSession(now);
    const draws = await sessionDraws(key, id);
    const { session, step } =
      "session" in input
        ? continueAdaptive(pool, input.session, input.answers, draws)
        : beginAdaptive(pool, input.options, draws);
    const signed: SignedSession = { v: 1, id, expires, session };
    return c.json({ ...step, state: step.stopped === null ? await signSession(signed, key) : null }, 200);
  },
);

function optionsOf({ begin, responses, a, b }: NextItemsRequest): AdaptiveOptions {
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

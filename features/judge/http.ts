import { z } from "@hono/zod-openapi";
import { estimateFromJudge } from "anchoreval";
import type { TrialResponses } from "anchoreval/internal/tables/item-trials";
import { readBody } from "../../workers/src/http/request-body.ts";
import { HttpProblem } from "../../workers/src/platform/problem.ts";
import { OTHERWISE } from "../../workers/src/schemas/contract.ts";
import {
  answerSchema,
  described,
  IntervalSchema,
  json,
  optional,
  requestSchema,
} from "../../workers/src/schemas/fields.ts";
import { countAnswers } from "../../workers/src/platform/observe.ts";
import { checkAnswers } from "../../workers/src/routes/estimates.ts";
import { jsonBody, operation, route } from "../../workers/src/routes/route.ts";

/** Most items of one request. */
const MAX_ITEMS = 20_000;

const SCORE = { type: ["number", "boolean", "null"] as ["number", "boolean", "null"] };

/** Scores by item id, which `estimateFromJudge` checks one by one. */
function scoresSchema(description: string) {
  return z
    .custom<TrialResponses>((value) => value !== undefined, "scores are missing")
    .openapi({ type: "object", description, additionalProperties: SCORE });
}

const JudgedRequestSchema = requestSchema(
  "JudgedRequest",
  {
    judge: scoresSchema(
      `The judge's score of every item by its id, any finite number; at most ${MAX_ITEMS} items. Of a list the mean counts.`,
    ),
    labels: scoresSchema(
      "People's labels of some of these items, drawn at random, in [0,1]; null = none. Of a list the mean counts.",
    ).exactOptional(),
    level: optional(z.number(), "Confidence level, in (0,1). Default 0.95."),
    halfWidth: optional(z.number(), "Wanted half-width, in (0,½): `next` then has the items to label for it."),
    seed: optional(z.number(), "Of the draw of these items. Default 1."),
  },
  { example: { judge: { "q-1": 1, "q-2": 0.2, "q-3": 0.7 }, labels: { "q-1": 1, "q-3": 0 } } },
);

export const JudgedEstimateSchema = answerSchema("JudgedEstimate", {
  score: described(
    z.number().nullable(),
    "People's mean over all items, a fraction in [0,1]; null of fewer than two labels.",
  ),
  interval: IntervalSchema.nullable(),
  items: described(z.number().int(), "Items that the judge scored."),
  labelled: described(z.number().int(), "Of them those with a label."),
  labels: described(
    answerSchema("LabelsAlone", { score: z.number(), interval: IntervalSchema }).nullable(),
    "The labels by themselves.",
  ),
  worth: described(z.number().nullable(), "As many labels alone would be as sure."),
  judge: answerSchema("JudgeFacts", {
    score: described(z.number(), "Its mean over all items."),
    bias: described(
      answerSchema("JudgeBias", { mean: z.number(), interval: IntervalSchema }).nullable(),
      "The judge's mean less people's; null on another scale than [0,1].",
    ),
    correlation: described(z.number().nullable(), "With the labels, in [−1,1]."),
    used: described(z.boolean(), "The judge's scores narrow the interval."),
  }),
  next: optional(
    answerSchema("NextLabels", {
      labels: described(z.number().int(), "Labels in all that the half-width is expected to take."),
      items: described(z.array(z.string()).readonly(), "Item ids, in the order to label them."),
    }),
    "With `halfWidth`.",
  ),
  warnings: z.array(z.object({ code: z.enum(["labels_unlike", "few_labels"]), message: z.string() })).readonly(),
});

export const createJudgedEstimate = route(
  {
    method: "post",
    path: "/v1/judged-estimates",
    middleware: readBody,
    request: { body: jsonBody(JudgedRequestSchema) },
    ...operation(
      "estimates",
      "createJudgedEstimate",
      "Estimate people's mean over all items from a judge's scores of all and labels of some; no bundle is read",
    ),
    responses: {
      200: json(JudgedEstimateSchema, "The estimate, beside the labels alone and the judge"),
      ...OTHERWISE.body,
    },
  },
  async (c) => {
    const body = c.req.valid("json");
    const { judge, labels = {}, ...options } = body;
    await checkAnswers(c, body, [{ responses: judge }, { responses: labels }]);
    const items = countAnswers(judge);
    if (items > MAX_ITEMS)
      throw new HttpProblem("invalid_request", `a request has at most ${MAX_ITEMS} items, got ${items}: use the SDK`, {
        issues: [{ path: ["judge"], code: "too_big", message: `at most ${MAX_ITEMS} items` }],
      });
    return c.json(estimateFromJudge(judge, labels, options), 200);
  },
);

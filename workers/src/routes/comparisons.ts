import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { compareFromAnchors } from "anchoreval";
import type { AppEnv } from "../context.ts";
import { limitBody } from "../http/request-body.ts";
import { ANSWERS_PROBLEMS, json, jsonBody, VersionOrLatestParams } from "../schemas/contract.ts";
import { ANSWER_FIELDS, EstimateWarningSchema, IntervalSchema } from "../schemas/estimate.ts";
import { bundleForAnswers } from "./estimates.ts";

const { responses, form, formDigest, digest, level, hashes, onChangedItem } = ANSWER_FIELDS;

/** Mirrors `ComparisonSide` of anchoreval. */
export const ComparisonSideSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(512)
      .exactOptional()
      .openapi({ description: "Any name; messages and results repeat it." }),
    version: z.string().exactOptional().openapi({
      description: "Version whose anchors were asked; another major version than the bundle's is refused.",
    }),
    responses,
    form,
    formDigest,
    digest,
    hashes,
  })
  .openapi("ComparisonSide", { example: { name: "new", responses: { "gsm/17": 1, "gsm/42": 0 } } });

/** Mirrors `ComparisonRequest` of anchoreval. */
export const ComparisonRequestSchema = z
  .strictObject({
    a: ComparisonSideSchema,
    b: ComparisonSideSchema,
    margin: z
      .number()
      .exactOptional()
      .openapi({ description: "Largest difference of scores that doesn't matter, in [0,1). Default 0." }),
    form,
    level,
    onChangedItem,
  })
  .openapi("ComparisonRequest");

const ModelScoreSchema = z
  .object({
    score: z.number().nullable(),
    interval: IntervalSchema.nullable(),
    stratifiedMean: z.number().nullable(),
  })
  .openapi("ModelScore");

const difference = {
  difference: z.number().nullable().openapi({ description: "S_B − S_A." }),
  interval: IntervalSchema.nullable(),
  reason: z.string().nullable(),
  oneSidedConfidence: z.number().nullable().openapi({ description: "Confidence that B's full score is higher." }),
  mcnemar: z
    .object({ aHigher: z.number().int(), bHigher: z.number().int(), pValue: z.number() })
    .openapi("McNemar", { description: "Mid-p test on the raw answers." }),
  scores: z.object({ a: ModelScoreSchema, b: ModelScoreSchema }),
  answered: z.number().int().openapi({ description: "Items that both answered; only these count." }),
  of: z.number().int(),
};

/** Mirrors `Comparison` of anchoreval. */
export const ComparisonSchema = z
  .object({
    ...difference,
    benchmark: z.string(),
    version: z.string(),
    form: z.string(),
    digest: z.string(),
    names: z.object({ a: z.string(), b: z.string() }),
    margin: z.number(),
    verdict: z.enum(["a-better", "b-better", "no-difference", "undecided"]).nullable(),
    moreItems: z
      .number()
      .nullable()
      .openapi({ description: "Number of further items that would decide it; for `undecided`." }),
    warnings: z.array(EstimateWarningSchema).readonly(),
    scenarios: z.record(z.string(), z.object(difference).openapi("Difference")),
  })
  .openapi("Comparison");

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/comparisons",
  operationId: "createComparison",
  tags: ["estimates"],
  summary: "Compare two models by their answers to the same anchors",
  middleware: limitBody,
  request: { params: VersionOrLatestParams, body: jsonBody(ComparisonRequestSchema) },
  responses: { 200: json(ComparisonSchema, "The difference of their full scores"), ...ANSWERS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { a, b, ...options } = c.req.valid("json");
  const { bundle, warn } = await bundleForAnswers(c, c.req.valid("param"), [a.responses, b.responses]);
  return c.json(warn(compareFromAnchors(bundle, a, b, options)), 200);
};

export const createComparison = { route, handler };

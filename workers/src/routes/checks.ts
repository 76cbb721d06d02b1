import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { checkFromAnchors } from "anchoreval";
import type { AppEnv } from "../context.ts";
import { limitBody } from "../http/request-body.ts";
import { ANSWERS_PROBLEMS, json, jsonBody, VersionOrLatestParams } from "../schemas/contract.ts";
import { ANSWER_FIELDS, EstimateWarningSchema } from "../schemas/estimate.ts";
import { ComparisonSideSchema } from "./comparisons.ts";
import { bundleForAnswers } from "./estimates.ts";

/** Most runs on a side of a check: one a night for a month. */
const MOST_RUNS = 31;

/** Mirrors `CheckRequest` of anchoreval. */
export const CheckRequestSchema = z
  .strictObject({
    current: z
      .array(ComparisonSideSchema)
      .min(1)
      .max(MOST_RUNS)
      .readonly()
      .openapi({ description: "The runs to check; of several the mean counts." }),
    baselines: z
      .array(ComparisonSideSchema)
      .max(MOST_RUNS)
      .readonly()
      .exactOptional()
      .openapi({ description: "Earlier runs on the same form; of several the mean counts." }),
    maxDrop: z
      .number()
      .exactOptional()
      .openapi({ description: "Largest allowed drop from the baselines, in [0,1). Default 0.01." }),
    minScore: z.number().exactOptional().openapi({ description: "Lowest allowed score, in [0,1]." }),
    alarmsPerYear: z.number().exactOptional().openapi({ description: "Accepted false alarms per year. Default 1." }),
    runsPerYear: z.number().exactOptional().openapi({ description: "Checks per year. Default 365." }),
    form: ANSWER_FIELDS.form,
    level: z
      .number()
      .exactOptional()
      .openapi({ description: "One-sided confidence required to pass, in (0.5,1). Default 0.95." }),
    onChangedItem: ANSWER_FIELDS.onChangedItem,
  })
  .openapi("CheckRequest");

const VerdictSchema = z
  .enum(["passed", "regressed", "undecided"])
  .openapi("CheckVerdict", { description: "`undecided`: the answers neither show a violation nor rule one out." });

/** Mirrors `CheckResult` of anchoreval. */
export const CheckSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    form: z.string(),
    digest: z.string(),
    verdict: VerdictSchema,
    drop: z
      .object({
        verdict: VerdictSchema,
        drop: z.number().nullable().openapi({ description: "S_before − S_now." }),
        low: z.number().nullable(),
        high: z.number().nullable(),
        reason: z.string().nullable(),
        maxDrop: z.number(),
        alarmsWithoutChange: z
          .number()
          .nullable()
          .openapi({ description: "Alarms per year for a model that didn't change." }),
        found: z.number().nullable().openapi({ description: "Drop that is detected in four cases out of five." }),
      })
      .openapi("DropCheck")
      .nullable(),
    minimum: z
      .object({
        verdict: VerdictSchema,
        score: z.number().nullable(),
        low: z.number().nullable(),
        high: z.number().nullable(),
        reason: z.string().nullable(),
        minScore: z.number(),
      })
      .openapi("MinimumCheck")
      .nullable(),
    alarms: z.object({ perYear: z.number(), runsPerYear: z.number(), probability: z.number() }),
    level: z.number(),
    answered: z.number().int().openapi({ description: "Items that a run on either side answered." }),
    of: z.number().int(),
    warnings: z.array(EstimateWarningSchema).readonly(),
  })
  .openapi("CheckResult");

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/checks",
  operationId: "createCheck",
  tags: ["estimates"],
  summary: "Check whether a model got worse, at a stated rate of false alarms",
  middleware: limitBody,
  request: { params: VersionOrLatestParams, body: jsonBody(CheckRequestSchema) },
  responses: { 200: json(CheckSchema, "A verdict for each rule and for all"), ...ANSWERS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { current, ...options } = c.req.valid("json");
  const answers = [...current, ...(options.baselines ?? [])].map(({ responses }) => responses);
  const { bundle, warn } = await bundleForAnswers(c, c.req.valid("param"), answers);
  return c.json(warn(checkFromAnchors(bundle, current, options)), 200);
};

export const createCheck = { route, handler };

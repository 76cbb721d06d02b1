import { z } from "@hono/zod-openapi";
import type { AnyEstimate, BatchLine, BundleRef } from "anchoreval";
import { estimate } from "anchoreval/internal/features/sdk-estimate";
import type { Context, MiddlewareHandler } from "hono";
import { countsOf } from "../auth/rate-limit.ts";
import {
  AnyEstimateSchema,
  BatchEntrySchema,
  checkBatchSize,
  estimateLine,
  estimateModel,
  isNdjson,
  resultLines,
  textLines,
} from "./batch.ts";
import { REQUEST_FIELDS } from "../../../features/http-answers.ts";
import { IssueSchema, lines, NDJSON, OTHERWISE, VersionOrLatestParams } from "../schemas/contract.ts";
import type { OpenedBundle } from "../bundles/bundle-reader.ts";
import { duplicateKeys, readBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../platform/observe.ts";
import { answerSchema, described, json, requestSchema } from "../schemas/fields.ts";
import { DEFAULT_BATCH_MODELS } from "../platform/settings.ts";
import { type AppEnv, jsonBody, operation, postToBundle, route } from "./route.ts";

export const EstimateRequestSchema = requestSchema("EstimateRequest", REQUEST_FIELDS, {
  example: { responses: { "gsm/17": 1, "gsm/42": 0 } },
});

export const createEstimate = route(
  {
    ...postToBundle("estimates", EstimateRequestSchema),
    ...operation("estimates", "createEstimate", "Estimate a model's full score from its answers to the anchors"),
    responses: { 200: json(AnyEstimateSchema, "The estimate"), ...OTHERWISE.answers },
  },
  async (c) => {
    const body = c.req.valid("json");
    const { responses, ...options } = body;
    const bundle = await bundleForAnswers(c, c.req.valid("param"), body, [body]);
    return c.json(estimate(bundle, responses, options), 200);
  },
);

/** The bundle for a request with answers; these as in {@link checkAnswers}. */
export async function bundleForAnswers(c: Context<AppEnv>, ref: BundleRef, body: unknown, models: AnsweredModels) {
  await checkAnswers(c, body, models);
  const opened = await openBundle(c, ref);
  for (const { responses } of models) await opened.readyFor(responses);
  return opened.bundle;
}

type AnsweredModels = readonly { readonly responses?: unknown }[];

/**
 * Counts answers, for the request's log line and against its caller, and refuses a body in which a key appears twice.
 * @param models - of the body
 */
export async function checkAnswers(c: Context<AppEnv>, body: unknown, models: AnsweredModels): Promise<void> {
  await countWork(c, models);
  refuseDuplicates(duplicateKeys(await c.req.text(), body));
}

async function countWork(c: Context<AppEnv>, models: AnsweredModels): Promise<void> {
  const answers = models.reduce((sum, { responses }) => sum + countAnswers(responses), 0);
  c.get("notes").answers = answers;
  const answered = models.filter(({ responses }) => responses !== undefined).length;
  await c.get("meter")(countsOf({ models: answered, answers }));
}

async function openBundle(c: Context<AppEnv>, ref: BundleRef): Promise<OpenedBundle> {
  const opened = await c.get("bundles").open(ref);
  c.get("notes").version = opened.bundle.manifest.version;
  return opened;
}

export const BatchRequestSchema = z.strictObject({ models: z.array(BatchEntrySchema) }).openapi("BatchRequest");

const BatchProblemSchema = z.object({ code: z.string(), detail: z.string(), issues: z.array(IssueSchema).readonly() });

const result = { model: z.string(), estimate: AnyEstimateSchema };

const BatchResultSchema = z
  .union([z.object(result), z.object({ model: z.string(), problem: BatchProblemSchema })])
  .openapi("BatchResult", { description: "A model's estimate, or why there is none." });

export const BatchResponseSchema = answerSchema("BatchResponse", {
  results: described(z.array(BatchResultSchema).readonly(), "In the order of `models`."),
});

const index = described(z.number().int(), "Index of the model in the request, from 0.");
const nameOrNull = described(z.string().nullable(), "null if the line names none.");

export const BatchLineSchema = z
  .union([z.object({ index, ...result }), z.object({ index, model: nameOrNull, problem: BatchProblemSchema })])
  .openapi("BatchLine", { description: "A line of results: a model's estimate, or why there is none." });

export const ResultsEndSchema = answerSchema(
  "ResultsEnd",
  { done: z.literal(true), results: z.number().int(), problems: z.number().int() },
  { description: "The last line; if it is missing, the answer was cut off." },
);

/** Named schemas of lines, which no JSON answer refers to. */
export const LINE_SCHEMAS = [BatchLineSchema, ResultsEndSchema];

/** Answers a request of lines, one model each, which zod-openapi would take for JSON. */
const answerLines: MiddlewareHandler<AppEnv> = async (c, next) => {
  const ref = VersionOrLatestParams.safeParse(c.req.param());
  if (!isNdjson(c.req.header("content-type")) || !ref.success) return next();
  const body = await c.req.text();
  const requests = textLines(body);
  checkBatchSize(requests.length, c.get("settings").batchModels);
  await c.get("meter")(countsOf({ models: requests.length, bytes: body.length }));
  const opened = await openBundle(c, ref.data);
  return sendLines(c, requests.length, (index) => estimateLine(opened, requests[index]!, index));
};

/** Typed as an object, or zod-openapi would parse the body as another JSON. */
const LINES_BODY: object = { [NDJSON]: { schema: { type: "string", description: "One `BatchEntry` per line." } } };

export const createEstimateBatch = route(
  {
    ...postToBundle("estimates/batch", BatchRequestSchema),
    ...operation(
      "estimates",
      "createEstimateBatch",
      `Estimate the full scores of several models, ${DEFAULT_BATCH_MODELS} unless set otherwise; answers that can't be scored fail only their own model`,
    ),
    description: `As JSON, or as lines (${NDJSON}, application/jsonl): one model per line of the request, one result with its index per line of the answer, whose last line is \`{"done":true,"results":…,"problems":…}\`. Lines are answered with lines, and so is JSON if Accept names them.`,
    middleware: [readBody, answerLines] as const,
    request: {
      params: VersionOrLatestParams,
      body: { required: true, content: { ...jsonBody(BatchRequestSchema).content, ...LINES_BODY } },
    },
    responses: {
      200: {
        ...json(BatchResponseSchema, "One result for each model"),
        content: { ...json(BatchResponseSchema, "").content, ...lines("").content },
      },
      ...OTHERWISE.answers,
    },
  },
  async (c) => {
    const body = c.req.valid("json");
    const { models } = body;
    checkBatchSize(models.length, c.get("settings").batchModels);
    await countWork(c, models);
    const duplicates = duplicateKeys(await c.req.text(), body);
    refuseDuplicates(duplicates.filter((path) => path.length < 3));
    const opened = await openBundle(c, c.req.valid("param"));
    const resultOf = (k: number) => {
      const repeats = duplicates.filter((path) => path[1] === k).map((path) => path.slice(2));
      return estimateModel(opened, models[k]!, repeats);
    };
    if (isNdjson(c.req.header("accept")))
      // zod-openapi has no type for a stream
      return sendLines(c, models.length, async (k) => ({ index: k, ...(await resultOf(k)) })) as never;
    const results = [];
    for (const k of models.keys()) results.push(await resultOf(k));
    return c.json({ results }, 200);
  },
);

function sendLines(c: Context, count: number, resultOf: (index: number) => Promise<BatchLine<AnyEstimate>>): Response {
  return c.body(resultLines(count, resultOf), 200, { "content-type": NDJSON });
}

import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { estimateFromAnchors, type BatchLine, type BundleRef } from "anchoreval";
import type { Context, MiddlewareHandler } from "hono";
import {
  checkBatchSize,
  DEFAULT_BATCH_MODELS,
  estimateLine,
  estimateModel,
  isNdjson,
  NDJSON,
  resultLines,
  textLines,
} from "../batch.ts";
import type { WarnedBundle } from "../bundles/bundle-reader.ts";
import type { AppEnv } from "../context.ts";
import { duplicateKeys, limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe.ts";
import { ANSWERS_PROBLEMS, IssueSchema, json, jsonBody, lines, VersionOrLatestParams } from "../schemas/contract.ts";
import { BatchEntrySchema, EstimateRequestSchema, EstimateSchema } from "../schemas/estimate.ts";

const estimateRoute = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates",
  operationId: "createEstimate",
  tags: ["estimates"],
  summary: "Estimate a model's full score from its answers to the anchors",
  middleware: limitBody,
  request: { params: VersionOrLatestParams, body: jsonBody(EstimateRequestSchema) },
  responses: { 200: json(EstimateSchema, "The estimate"), ...ANSWERS_PROBLEMS },
});

const estimate: RouteHandler<typeof estimateRoute, AppEnv> = async (c) => {
  const { responses, ...options } = c.req.valid("json");
  const { bundle, warn } = await bundleForAnswers(c, c.req.valid("param"), [responses]);
  return c.json(warn(estimateFromAnchors(bundle, responses, options)), 200);
};

export const createEstimate = { route: estimateRoute, handler: estimate };

/**
 * The bundle for a request with answers, and the warning for its results. A body in which a key appears twice is refused.
 * @param answers - the answers of every model in the request
 */
export async function bundleForAnswers(
  c: Context<AppEnv>,
  ref: BundleRef,
  answers: readonly unknown[],
): Promise<WarnedBundle> {
  noteAnswers(c, answers);
  refuseDuplicates(duplicateKeys(await c.req.text()));
  return openBundle(c, ref);
}

/** Counts the answers for the request's log line. */
export function noteAnswers(c: Context<AppEnv>, answers: readonly unknown[]): void {
  c.var.notes.answers = answers.reduce<number>((sum, responses) => sum + countAnswers(responses), 0);
}

async function openBundle(c: Context<AppEnv>, ref: BundleRef): Promise<WarnedBundle> {
  const opened = await c.var.bundles.warnedBundle(ref);
  c.var.notes.version = opened.bundle.manifest.version;
  return opened;
}

export const BatchRequestSchema = z.strictObject({ models: z.array(BatchEntrySchema) }).openapi("BatchRequest");

const BatchProblemSchema = z.object({ code: z.string(), detail: z.string(), issues: z.array(IssueSchema).readonly() });

/** Mirrors `BatchResult` of anchoreval. */
const BatchResultSchema = z
  .union([
    z.object({ model: z.string(), estimate: EstimateSchema }),
    z.object({ model: z.string(), problem: BatchProblemSchema }),
  ])
  .openapi("BatchResult", { description: "A model's estimate, or why there is none." });

export const BatchResponseSchema = z
  .object({ results: z.array(BatchResultSchema).readonly().openapi({ description: "In the order of `models`." }) })
  .openapi("BatchResponse");

const INDEX = { index: z.number().int().openapi({ description: "Index of the model in the request, from 0." }) };

/** Mirrors `BatchLine` of anchoreval. */
export const BatchLineSchema = z
  .union([
    z.object({ ...INDEX, model: z.string(), estimate: EstimateSchema }),
    z.object({
      ...INDEX,
      model: z.string().nullable().openapi({ description: "null if the line names none." }),
      problem: BatchProblemSchema,
    }),
  ])
  .openapi("BatchLine", { description: "A line of results: a model's estimate, or why there is none." });

export const ResultsEndSchema = z
  .object({ done: z.literal(true), results: z.number().int(), problems: z.number().int() })
  .openapi("ResultsEnd", { description: "The last line; if it is missing, the answer was cut off." });

/** Named schemas of lines, which no JSON answer refers to. */
export const LINE_SCHEMAS = [BatchLineSchema, ResultsEndSchema];

/** Answers a request of lines, one model each, which zod-openapi would take for JSON. */
const answerLines: MiddlewareHandler<AppEnv> = async (c, next) => {
  const ref = VersionOrLatestParams.safeParse(c.req.param());
  if (!isNdjson(c.req.header("content-type")) || !ref.success) return next();
  const requests = textLines(await c.req.arrayBuffer());
  checkBatchSize(requests.length, c.env);
  const opened = await openBundle(c, ref.data);
  return sendLines(c, requests.length, (index) => estimateLine(opened, requests[index]!, index));
};

/** Typed as an object, or zod-openapi would parse the body as another JSON. */
const LINES_BODY: object = { [NDJSON]: { schema: { type: "string", description: "One `BatchEntry` per line." } } };

const batchRoute = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates/batch",
  operationId: "createEstimateBatch",
  tags: ["estimates"],
  summary: `Estimate the full scores of several models, ${DEFAULT_BATCH_MODELS} unless set otherwise; answers that can't be scored fail only their own model`,
  description: `As JSON, or as lines (${NDJSON}, application/jsonl): one model per line of the request, one result with its index per line of the answer, whose last line is \`{"done":true,"results":…,"problems":…}\`. Lines are answered with lines, and so is JSON if Accept names them.`,
  middleware: [limitBody, answerLines] as const,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { ...jsonBody(BatchRequestSchema).content, ...LINES_BODY } },
  },
  responses: {
    200: {
      ...json(BatchResponseSchema, "One result for each model"),
      content: { ...json(BatchResponseSchema, "").content, ...lines("").content },
    },
    ...ANSWERS_PROBLEMS,
  },
});

const estimateBatch: RouteHandler<typeof batchRoute, AppEnv> = async (c) => {
  const { models } = c.req.valid("json");
  checkBatchSize(models.length, c.env);
  noteAnswers(
    c,
    models.map(({ responses }) => responses),
  );
  const duplicates = duplicateKeys(await c.req.text());
  refuseDuplicates(duplicates.filter((path) => path.length < 3));
  const opened = await openBundle(c, c.req.valid("param"));
  const resultOf = (index: number) =>
    estimateModel(
      opened,
      models[index]!,
      duplicates.filter((path) => path[1] === index).map((path) => path.slice(2)),
    );
  if (isNdjson(c.req.header("accept")))
    // zod-openapi has no type for a stream
    return sendLines(c, models.length, (index) => ({ index, ...resultOf(index) })) as never;
  return c.json({ results: models.map((_, index) => resultOf(index)) }, 200);
};

function sendLines(c: Context, count: number, resultOf: (index: number) => BatchLine): Response {
  return c.body(resultLines(count, resultOf), 200, { "content-type": NDJSON });
}

export const createEstimateBatch = { route: batchRoute, handler: estimateBatch };

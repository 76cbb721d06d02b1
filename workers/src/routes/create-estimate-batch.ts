import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import type { BatchLine } from "anchoreval";
import type { Context, MiddlewareHandler } from "hono";
import { checkBatchSize, DEFAULT_BATCH_MODELS } from "../batch/batch-limit.ts";
import { estimateLine } from "../batch/estimate-line.ts";
import { estimateModel } from "../batch/estimate-model.ts";
import { resultLines } from "../batch/result-lines.ts";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { isNdjson, NDJSON, textLines } from "../http/ndjson.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { BatchRequestSchema, BatchResponseSchema } from "../schemas/batch.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { ESTIMATE_PROBLEMS, json, lines } from "../schemas/responses.ts";
import { warnedBundle } from "./warned-bundle.ts";

/** A request of lines, one model each: zod-openapi would take it for JSON. */
const answerLines: MiddlewareHandler<AppEnv> = async (c, next) => {
  const ref = VersionOrLatestParams.safeParse(c.req.param());
  if (!isNdjson(c.req.header("content-type")) || !ref.success) return next();
  const requests = textLines(await c.req.arrayBuffer());
  checkBatchSize(requests.length, c.env);
  const batch = await warnedBundle(c.var.bundles, ref.data);
  c.var.notes.version = batch.bundle.manifest.version;
  return sendLines(c, requests.length, (index) => estimateLine(batch, requests[index]!, index));
};

/** Of the contract alone: by its type zod-openapi would take it for another JSON. */
const LINES: object = { [NDJSON]: { schema: { type: "string", description: "A `BatchEntry` a line." } } };

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates/batch",
  operationId: "createEstimateBatch",
  tags: ["estimates"],
  summary: `The full scores of several models, ${DEFAULT_BATCH_MODELS} unless set otherwise; answers that can't be scored fail only their own`,
  description: `As JSON, or as lines (${NDJSON}, application/jsonl): each a model, or a result with its index; the last is \`{"done":true,"results":…,"problems":…}\`. Lines are answered with lines; JSON too, where Accept names them.`,
  middleware: [limitBody, answerLines] as const,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: BatchRequestSchema }, ...LINES } },
  },
  responses: {
    200: {
      ...json(BatchResponseSchema, "One result for each model"),
      content: { ...json(BatchResponseSchema, "").content, ...lines("").content },
    },
    ...ESTIMATE_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { models } = c.req.valid("json");
  checkBatchSize(models.length, c.env);
  c.var.notes.answers = models.reduce((sum, { responses }) => sum + countAnswers(responses), 0);
  const duplicates = duplicateKeys(await c.req.text());
  const inModel = (index: number): (string | number)[][] =>
    duplicates.filter((path) => path[1] === index).map((path) => path.slice(2));
  refuseDuplicates(duplicates.filter((path) => path.length < 3));
  const batch = await warnedBundle(c.var.bundles, c.req.valid("param"));
  const resultOf = (index: number) => estimateModel(batch, models[index]!, inModel(index));
  c.var.notes.version = batch.bundle.manifest.version;
  if (isNdjson(c.req.header("accept")))
    // zod-openapi has no type for a stream
    return sendLines(c, models.length, (index) => ({ index, ...resultOf(index) })) as never;
  return c.json({ results: models.map((_, index) => resultOf(index)) }, 200);
};

function sendLines(c: Context, count: number, resultOf: (index: number) => BatchLine): Response {
  return c.body(resultLines(count, resultOf), 200, { "content-type": NDJSON });
}

export const createEstimateBatch = { route, handler };

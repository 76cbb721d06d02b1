import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { AnchorEvalError, estimateFromAnchors, type BatchResult, type Bundle, type EstimateRequest } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { BatchRequestSchema, BatchResponseSchema, MAX_BATCH_MODELS } from "../schemas/batch.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { yankedWarning } from "./yanked-warning.ts";
import { ESTIMATE_PROBLEMS, json } from "../schemas/responses.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates/batch",
  operationId: "createEstimateBatch",
  tags: ["estimates"],
  summary: `The full scores of up to ${MAX_BATCH_MODELS} models; answers that can't be scored fail only their own model`,
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: BatchRequestSchema } } },
  },
  responses: { 200: json(BatchResponseSchema, "One result for each model"), ...ESTIMATE_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { models } = c.req.valid("json");
  c.var.notes.answers = models.reduce((sum, { responses }) => sum + countAnswers(responses), 0);
  const duplicates = duplicateKeys(await c.req.text());
  const inModel = (index: number): (string | number)[][] =>
    duplicates.filter((path) => path[1] === index).map((path) => path.slice(2));
  refuseDuplicates(duplicates.filter((path) => path.length < 3));
  const ref = c.req.valid("param");
  const [bundle, warned] = await Promise.all([c.var.bundles.bundle(ref), yankedWarning(c.var.bundles, ref)]);
  c.var.notes.version = bundle.manifest.version;
  const results = models.map((entry, index) => estimateOne(bundle, entry, inModel(index)));
  return c.json(
    { results: results.map((own) => ("estimate" in own ? { ...own, estimate: warned(own.estimate) } : own)) },
    200,
  );
};

function estimateOne(
  bundle: Bundle,
  { model, responses, ...options }: EstimateRequest & { model: string },
  duplicates: (string | number)[][],
): BatchResult {
  try {
    refuseDuplicates(duplicates);
    return { model, estimate: estimateFromAnchors(bundle, responses, options) };
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    return { model, problem: { code: error.code, detail: error.message, issues: error.issues } };
  }
}

export const createEstimateBatch = { route, handler };

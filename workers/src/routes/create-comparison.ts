import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { compareFromAnchors } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { ComparisonRequestSchema, ComparisonSchema } from "../schemas/comparison.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { ESTIMATE_PROBLEMS, json } from "../schemas/responses.ts";
import { warnedBundle } from "./warned-bundle.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/comparisons",
  operationId: "createComparison",
  tags: ["estimates"],
  summary: "Which of two models is better, from their answers to the same anchors",
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: ComparisonRequestSchema } } },
  },
  responses: { 200: json(ComparisonSchema, "The difference of their full scores"), ...ESTIMATE_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { a, b, ...options } = c.req.valid("json");
  c.var.notes.answers = countAnswers(a.responses) + countAnswers(b.responses);
  refuseDuplicates(duplicateKeys(await c.req.text()));
  const { bundle, warned } = await warnedBundle(c.var.bundles, c.req.valid("param"));
  c.var.notes.version = bundle.manifest.version;
  return c.json(warned(compareFromAnchors(bundle, a, b, options)), 200);
};

export const createComparison = { route, handler };

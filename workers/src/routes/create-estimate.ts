import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { estimateFromAnchors } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { EstimateRequestSchema } from "../schemas/estimate-request.ts";
import { EstimateSchema } from "../schemas/estimate.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { warnedBundle } from "./warned-bundle.ts";
import { ESTIMATE_PROBLEMS, json } from "../schemas/responses.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates",
  operationId: "createEstimate",
  tags: ["estimates"],
  summary: "A model's full score, from its answers to the anchors",
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: EstimateRequestSchema } } },
  },
  responses: { 200: json(EstimateSchema, "The estimate"), ...ESTIMATE_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { responses, ...options } = c.req.valid("json");
  const { bundles, notes } = c.var;
  notes.answers = countAnswers(responses);
  refuseDuplicates(duplicateKeys(await c.req.text()));
  const { bundle, warned } = await warnedBundle(bundles, c.req.valid("param"));
  notes.version = bundle.manifest.version;
  return c.json(warned(estimateFromAnchors(bundle, responses, options)), 200);
};

export const createEstimate = { route, handler };

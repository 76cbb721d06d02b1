import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { checkFromAnchors } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { limitBody, refuseDuplicates } from "../http/request-body.ts";
import { countAnswers } from "../observe/request-notes.ts";
import { CheckRequestSchema, CheckSchema } from "../schemas/check.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { ESTIMATE_PROBLEMS, json } from "../schemas/responses.ts";
import { warnedBundle } from "./warned-bundle.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/checks",
  operationId: "createCheck",
  tags: ["estimates"],
  summary: "Whether a model got worse, with a stated rate of false alarms",
  middleware: limitBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: CheckRequestSchema } } },
  },
  responses: { 200: json(CheckSchema, "A verdict for each rule and for all"), ...ESTIMATE_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { current, ...options } = c.req.valid("json");
  c.var.notes.answers = [...current, ...(options.baselines ?? [])].reduce(
    (sum, { responses }) => sum + countAnswers(responses),
    0,
  );
  refuseDuplicates(duplicateKeys(await c.req.text()));
  const { bundle, warned } = await warnedBundle(c.var.bundles, c.req.valid("param"));
  c.var.notes.version = bundle.manifest.version;
  return c.json(warned(checkFromAnchors(bundle, current, options)), 200);
};

export const createCheck = { route, handler };

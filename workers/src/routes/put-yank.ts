import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { r2Store, yankVersion } from "anchoreval/publish";
import type { AppEnv } from "../env.ts";
import { limitBody } from "../http/request-body.ts";
import { BenchmarkSchema } from "../schemas/benchmark.ts";
import { VersionParams } from "../schemas/params.ts";
import { json, PUBLISH_PROBLEMS } from "../schemas/responses.ts";
import { benchmarkSummary } from "./benchmark-summary.ts";

const YankRequestSchema = z
  .union([
    z.strictObject({
      yanked: z.literal(true),
      reason: z.string().min(1).max(500).openapi({ example: "wrong keys in 12 items: use 1.0.1" }),
    }),
    z.strictObject({ yanked: z.literal(false) }),
  ])
  .openapi("YankRequest");

const route = createRoute({
  method: "put",
  path: "/v1/bundles/{benchmark}/{version}/yank",
  operationId: "yankVersion",
  tags: ["publishing"],
  summary: "Take a version back, or offer it again: it goes on answering by its number, with a warning",
  security: [{ bearer: [] }],
  middleware: limitBody,
  request: {
    params: VersionParams,
    body: { required: true, content: { "application/json": { schema: YankRequestSchema } } },
  },
  responses: { 200: json(BenchmarkSchema, "The benchmark with what it offers now"), ...PUBLISH_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const ref = c.req.valid("param");
  c.var.caller.require("publish", ref.benchmark);
  const index = await yankVersion(r2Store(c.var.bucket), ref, c.req.valid("json"));
  c.var.bundles.forgetIndex(ref.benchmark);
  return c.json(benchmarkSummary(index), 200);
};

export const putYank = { route, handler };

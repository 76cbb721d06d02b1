import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { INDEX_MAX_AGE } from "../bundles/bundle-caches.ts";
import type { AppEnv } from "../env.ts";
import { BenchmarkSchema } from "../schemas/benchmark.ts";
import { BenchmarkParams } from "../schemas/params.ts";
import { json, READ_PROBLEMS } from "../schemas/responses.ts";
import { benchmarkSummary } from "./benchmark-summary.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}",
  operationId: "readBenchmark",
  tags: ["bundles"],
  summary: "One benchmark with its versions",
  request: { params: BenchmarkParams },
  responses: { 200: json(BenchmarkSchema, "The benchmark"), ...READ_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const index = await c.var.bundles.benchmark(c.req.valid("param").benchmark);
  c.header("cache-control", `public, max-age=${INDEX_MAX_AGE}`);
  return c.json(benchmarkSummary(index), 200);
};

export const readBenchmark = { route, handler };

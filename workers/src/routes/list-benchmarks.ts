import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import { INDEX_MAX_AGE } from "../bundles/bundle-caches.ts";
import type { AppEnv } from "../env.ts";
import { BenchmarkListSchema } from "../schemas/benchmark.ts";
import { json, READ_PROBLEMS } from "../schemas/responses.ts";
import { benchmarkSummary } from "./benchmark-summary.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles",
  operationId: "listBenchmarks",
  tags: ["bundles"],
  summary: "The benchmarks with their versions",
  responses: { 200: json(BenchmarkListSchema, "By name"), ...READ_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const all = await c.var.bundles.benchmarks();
  const shown = all.filter(({ benchmark }) => c.var.caller.mayRead(benchmark));
  // Who has a token may see more than others: no cache between shares what it was shown.
  const isPublic = c.var.caller.token === null;
  c.header("cache-control", isPublic ? `public, max-age=${INDEX_MAX_AGE}` : "private, no-store");
  c.header("vary", "authorization", { append: true });
  return c.json({ benchmarks: shown.map(benchmarkSummary) }, 200);
};

export const listBenchmarks = { route, handler };

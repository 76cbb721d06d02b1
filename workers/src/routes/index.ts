import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import type { AppEnv } from "../context.ts";
import { COMMON_PROBLEMS, json } from "../schemas/contract.ts";
import { listBenchmarks, readAnchors, readBenchmark, readFile, readManifest } from "./bundles.ts";
import { createCheck } from "./checks.ts";
import { createComparison } from "./comparisons.ts";
import { createEstimate, createEstimateBatch } from "./estimates.ts";
import { createJob, readJobResults, readJobStatus } from "./jobs.ts";
import { createNextItems } from "./next-items.ts";
import { readPlan } from "./plan.ts";
import { createPublication, putBlob, putYank } from "./publishing.ts";
import { createRoutes } from "./routing.ts";

const healthRoute = createRoute({
  method: "get",
  path: "/healthz",
  operationId: "readHealth",
  tags: ["service"],
  summary: "Check that the Worker runs; storage is not asked",
  responses: {
    200: json(z.object({ status: z.literal("ok") }).openapi("Health"), "It runs"),
    ...COMMON_PROBLEMS,
  },
});

const health: RouteHandler<typeof healthRoute, AppEnv> = (c) => {
  c.header("cache-control", "no-store");
  return c.json({ status: "ok" as const }, 200);
};

/** The contract: every route of the HTTP interface with its handler. */
export const ROUTES = [
  listBenchmarks,
  readBenchmark,
  readManifest,
  readAnchors,
  readFile,
  createEstimate,
  createEstimateBatch,
  createJob,
  readJobStatus,
  readJobResults,
  createComparison,
  createCheck,
  readPlan,
  createRoutes,
  createNextItems,
  putBlob,
  createPublication,
  putYank,
  { route: healthRoute, handler: health },
] as const;

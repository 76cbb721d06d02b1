import { z } from "@hono/zod-openapi";
import { ANSWER_ROUTES, LATER_ROUTES, ROUTES as FEATURES } from "../../../features/http.ts";
import { OTHERWISE } from "../schemas/contract.ts";
import { listBenchmarks, readAnchors, readBenchmark, readFile, readManifest } from "./bundles.ts";
import { createEstimate, createEstimateBatch } from "./estimates.ts";
import { readPlan } from "./plan.ts";
import { operation, route } from "./route.ts";
import { json } from "../schemas/fields.ts";

const readHealth = route(
  {
    method: "get",
    path: "/healthz",
    ...operation("service", "readHealth", "Check that the Worker runs; storage is not asked"),
    responses: {
      200: json(z.object({ status: z.literal("ok") }).openapi("Health"), "It runs"),
      ...OTHERWISE.common,
    },
  },
  (c) => {
    c.header("cache-control", "no-store");
    return c.json({ status: "ok" as const }, 200);
  },
);

/** The contract: every route of the HTTP interface with its handler. */
export const ROUTES = [
  listBenchmarks,
  readBenchmark,
  ...FEATURES, // before readManifest, whose path one of them has
  readManifest,
  readAnchors,
  readFile,
  createEstimate,
  createEstimateBatch,
  ...ANSWER_ROUTES,
  readPlan,
  ...LATER_ROUTES,
  readHealth,
] as const;

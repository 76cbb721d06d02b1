import { createCheck } from "./create-check.ts";
import { createComparison } from "./create-comparison.ts";
import { createEstimate } from "./create-estimate.ts";
import { createEstimateBatch } from "./create-estimate-batch.ts";
import { createJob } from "./create-job.ts";
import { createNextItems } from "./create-next-items.ts";
import { createPublication } from "./create-publication.ts";
import { createRoutes } from "./create-routes.ts";
import { listBenchmarks } from "./list-benchmarks.ts";
import { putBlob } from "./put-blob.ts";
import { putYank } from "./put-yank.ts";
import { readAnchors } from "./read-anchors.ts";
import { readBenchmark } from "./read-benchmark.ts";
import { readFile } from "./read-file.ts";
import { readHealth } from "./read-health.ts";
import { readJob } from "./read-job.ts";
import { readJobResults } from "./read-job-results.ts";
import { readManifest } from "./read-manifest.ts";
import { readPlan } from "./read-plan.ts";

/** The contract: every route of the HTTP interface, with what carries it out. */
export const ROUTES = [
  listBenchmarks,
  readBenchmark,
  readManifest,
  readAnchors,
  readFile,
  createEstimate,
  createEstimateBatch,
  createJob,
  readJob,
  readJobResults,
  createComparison,
  createCheck,
  readPlan,
  createRoutes,
  createNextItems,
  putBlob,
  createPublication,
  putYank,
  readHealth,
] as const;

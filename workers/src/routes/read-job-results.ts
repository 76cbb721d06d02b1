import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import type { AppEnv } from "../env.ts";
import { NDJSON } from "../http/ndjson.ts";
import { jobResults } from "../jobs/job-results.ts";
import { jobStatus } from "../jobs/job-status.ts";
import { HttpProblem } from "../problem.ts";
import { JobParams } from "../schemas/job.ts";
import { JOB_RESULTS_PROBLEMS, lines, MOVED } from "../schemas/responses.ts";
import { askedJob } from "./asked-job.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/estimates/jobs/{id}/results",
  operationId: "readJobResults",
  tags: ["jobs"],
  summary: "The results of a job that is done, in the order of its models",
  request: { params: JobParams },
  responses: { 200: lines("A line each, then their counts"), ...MOVED, ...JOB_RESULTS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const job = await askedJob(c.var.bucket, c.req.valid("param"), c.var.now());
  const status = await jobStatus(c.var.bucket, job);
  if (status.state === "running")
    throw new HttpProblem(
      "job_running",
      `${status.results + status.problems} of ${status.models} models are done: ask again later`,
      { headers: { "retry-after": "2" } },
    );
  const headers = { "content-type": NDJSON, "cache-control": "no-store" };
  return new Response(jobResults(c.var.bucket, job, status), { headers });
};

export const readJobResults = { route, handler };

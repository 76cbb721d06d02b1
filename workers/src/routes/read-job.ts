import { createRoute, type RouteHandler } from "@hono/zod-openapi";
import type { AppEnv } from "../env.ts";
import { jobStatus } from "../jobs/job-status.ts";
import { JobParams, JobStatusSchema } from "../schemas/job.ts";
import { JOB_PROBLEMS, json, MOVED } from "../schemas/responses.ts";
import { askedJob } from "./asked-job.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/estimates/jobs/{id}",
  operationId: "readJob",
  tags: ["jobs"],
  summary: "How far a job is",
  request: { params: JobParams },
  responses: { 200: json(JobStatusSchema, "Its state and counts"), ...MOVED, ...JOB_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const job = await askedJob(c.var.bucket, c.req.valid("param"), c.var.now());
  c.header("cache-control", "no-store");
  return c.json(await jobStatus(c.var.bucket, job), 200);
};

export const readJob = { route, handler };

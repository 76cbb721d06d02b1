import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { batchModels } from "../batch/batch-limit.ts";
import { LATEST } from "../bundles/bundle-reader.ts";
import { countSetting } from "../count-setting.ts";
import type { AppEnv } from "../env.ts";
import { announcedLength } from "../http/announced-length.ts";
import { isNdjson, NDJSON } from "../http/ndjson.ts";
import { DEFAULT_MAX_BYTES } from "../http/request-body.ts";
import { describeJob } from "../jobs/job-status.ts";
import { submitJob } from "../jobs/submit-job.ts";
import { HttpProblem } from "../problem.ts";
import { JobStatusSchema } from "../schemas/job.ts";
import { VersionOrLatestParams } from "../schemas/params.ts";
import { headers, JOB_SUBMISSION_PROBLEMS, json } from "../schemas/responses.ts";

/** Longest body of a job. @unit bytes */
const DEFAULT_JOB_BYTES = 10_000_000;
/** A job has so many parts at most: its results are read by as many requests to R2. */
const MOST_SHARDS = 200;

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates/jobs",
  operationId: "createJob",
  tags: ["jobs"],
  summary: "The full scores of many models, computed one part after another: a line each, as in a batch",
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { [NDJSON]: { schema: z.string().openapi({ format: "binary" }) } } },
  },
  responses: {
    202: { ...json(JobStatusSchema, "It is accepted"), headers: headers({ Location: "Where to ask how far it is" }) },
    ...JOB_SUBMISSION_PROBLEMS,
  },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { benchmark, version } = c.req.valid("param");
  const { JOBS, MAX_REQUEST_BYTES, MAX_JOB_MODELS, MAX_JOB_BYTES } = c.env;
  if (!JOBS) throw new HttpProblem("not_implemented", "this Worker has no queue for jobs: send batches");
  if (!isNdjson(c.req.header("content-type")))
    throw new HttpProblem("unsupported_media_type", `send the models as ${NDJSON}, a line each`);
  const bytes = announcedLength(c.req.raw, countSetting("MAX_JOB_BYTES", MAX_JOB_BYTES, DEFAULT_JOB_BYTES));
  const { bucket, bundles, deadline } = c.var;
  const number = version === LATEST ? await bundles.latest(benchmark) : version;
  const { digest } = await bundles.published({ benchmark, version: number });
  const shardModels = batchModels(c.env);
  const limits = {
    shardModels,
    jobModels: countSetting("MAX_JOB_MODELS", MAX_JOB_MODELS, MOST_SHARDS * shardModels),
    bytes: countSetting("MAX_REQUEST_BYTES", MAX_REQUEST_BYTES, DEFAULT_MAX_BYTES),
  };
  const body = c.req.raw.body ?? new Blob([]).stream();
  const now = c.var.now();
  const job = await submitJob(bucket, JOBS, { benchmark, version: number, digest, body, bytes, limits, now, deadline });
  c.header("location", `/v1/bundles/${benchmark}/${number}/estimates/jobs/${job.id}`);
  return c.json({ ...describeJob(job), state: "running" as const, results: 0, problems: 0 }, 202);
};

export const createJob = { route, handler };

import { z } from "@hono/zod-openapi";
import { AnchorEvalError, type JobStatus } from "anchoreval";
import { countsOf } from "../../../workers/src/auth/rate-limit.ts";
import { isNdjson, jsonLine, type ResultsEnd } from "../../../workers/src/routes/batch.ts";
import {
  encoded,
  headers,
  lines,
  NDJSON,
  OTHERWISE,
  problem,
  transient,
  VersionOrLatestParams,
  VersionParams,
} from "../../../workers/src/schemas/contract.ts";
import type { BundleBucket, JobQueue } from "../../../workers/src/platform/env.ts";
import { hexOf } from "anchoreval/internal/core/bundle/digest";
import { LATEST } from "anchoreval/internal/core/bundle/names";
import { announcedLength } from "../../../workers/src/http/request-body.ts";
import {
  createOnce,
  JOB_ID,
  JOB_LIFETIME,
  jobKey,
  jobStatus,
  readJob,
  requestsKey,
  resultsKey,
  splitShards,
  type Job,
  type SplitLimits,
} from "./job.ts";
import { putStream, type Storage } from "../../publishing/http/upload.ts";
import { HttpProblem } from "../../../workers/src/platform/problem.ts";
import { answerSchema, described, json } from "../../../workers/src/schemas/fields.ts";
import { operation, route } from "../../../workers/src/routes/route.ts";

export const JobStatusSchema = answerSchema("JobStatus", {
  id: described(z.string(), "128 random bits: anyone who knows it may read the job."),
  benchmark: z.string(),
  version: z.string(),
  digest: described(z.string(), "Digest of the bundle, `sha256:…`."),
  state: z.enum(["running", "done"]),
  models: z.number().int(),
  results: described(z.number().int(), "Models with an estimate so far."),
  problems: described(z.number().int(), "Models with a problem so far."),
  created: z.string(),
  expires: described(z.string(), "When it can no longer be read."),
});

export const createJob = route(
  {
    method: "post",
    path: "/v1/bundles/{benchmark}/{version}/estimates/jobs",
    ...operation(
      "jobs",
      "createJob",
      "Submit many models to be estimated in the background: one line each, as in a batch",
    ),
    request: {
      params: VersionOrLatestParams,
      body: { required: true, content: { [NDJSON]: { schema: z.string().openapi({ format: "binary" }) } } },
    },
    responses: {
      202: {
        ...json(JobStatusSchema, "The job is accepted"),
        headers: headers({ Location: "Path of the job's status" }),
      },
      ...OTHERWISE.read,
      411: problem("No Content-Length"),
      413: problem("Too many bytes or models"),
      415: encoded("The body is not JSON lines"),
      422: problem("No models, or another length than announced"),
      501: problem("This Worker has no queue"),
    },
  },
  async (c) => {
    const { benchmark, version } = c.req.valid("param");
    const { JOBS } = c.env;
    if (!JOBS) throw new HttpProblem("not_implemented", "this Worker has no queue for jobs: send batches");
    if (!c.var.settings.openJobs) c.var.caller.requireToken("submitting jobs");
    if (!isNdjson(c.req.header("content-type")))
      throw new HttpProblem("unsupported_media_type", `send the models as ${NDJSON}, one per line`);
    const { bundles, settings } = c.var;
    const bytes = announcedLength(c.req.raw, settings.jobBytes);
    await c.var.meter(countsOf({ models: 0, bytes }));
    const ref = { benchmark, version: version === LATEST ? await bundles.latest(benchmark) : version };
    const { digest } = await bundles.published(ref);
    const limits = {
      shardModels: settings.batchModels,
      jobModels: settings.jobModels,
      bytes: settings.requestBytes,
    };
    const body = c.req.raw.body ?? new Blob([]).stream();
    const spend = (models: number): Promise<void> => c.var.meter(countsOf({ models, answers: 0 }));
    const submission = { ...ref, digest, body, bytes, limits, spend, now: c.var.now() };
    const job = await submitJob(c.var, JOBS, submission);
    c.header("location", `/v1/bundles/${benchmark}/${ref.version}/estimates/jobs/${job.id}`);
    return c.json({ ...job, state: "running" as const, results: 0, problems: 0 }, 202);
  },
);

interface Submission extends Pick<Job, "benchmark" | "version" | "digest"> {
  readonly body: ReadableStream;
  readonly bytes: number;
  readonly limits: SplitLimits;
  /** Counts the models against the caller, once it is known how many they are. */
  readonly spend: (models: number) => Promise<void>;
  readonly now: number;
}

/** Most messages that a queue accepts at once. */
const MESSAGES = 100;

/**
 * Stores the requests of a job, then the job, then queues its shards. A submission that breaks off earlier is no job, as
 * nobody has been told its id.
 * @throws HttpProblem `payload_too_large`, `content_mismatch`, `invalid_request` without models, `rate_limited`; AnchorEvalError `unavailable`
 */
async function submitJob(
  storage: Storage,
  queue: JobQueue,
  { body, bytes, limits, spend, now, ...bundle }: Submission,
): Promise<Omit<Job, "shards">> {
  const id = hexOf(crypto.getRandomValues(new Uint8Array(16)));
  const { inspect, end } = splitShards(limits);
  try {
    await putStream(storage, requestsKey(id), { bytes, body, inspect });
  } catch (cause) {
    if (cause instanceof HttpProblem) throw cause;
    throw new AnchorEvalError("unavailable", "the R2 bucket could not write the requests of a job", { cause });
  }
  const shards = end();
  const models = shards.reduce((sum, shard) => sum + shard.models, 0);
  if (models === 0) throw new HttpProblem("invalid_request", "at least one model is needed, one per line");
  await spend(models);
  const created = new Date(now).toISOString();
  const expires = new Date(now + JOB_LIFETIME).toISOString();
  const described = { id, ...bundle, created, expires, models };
  const job = JSON.stringify({ ...described, shards } satisfies Job);
  await createOnce(storage.bucket, jobKey(id), new TextEncoder().encode(job));
  try {
    for (let from = 0; from < shards.length; from += MESSAGES)
      await queue.sendBatch(shards.slice(from, from + MESSAGES).map((_, k) => ({ body: resultsKey(id, from + k) })));
  } catch (cause) {
    throw new AnchorEvalError("unavailable", "the queue did not accept the whole job: send it again", { cause });
  }
  return described;
}

const JobParams = VersionParams.extend({
  id: z
    .string()
    .regex(JOB_ID, "a job's id has 32 hexadecimal digits")
    .openapi({ example: "0123456789abcdef0123456789abcdef" }),
});

const OF_JOB = { ...OTHERWISE.version, 404: problem("No such job"), 410: problem("The job has expired") };

export const readJobStatus = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/estimates/jobs/{id}",
    ...operation("jobs", "readJob", "Read the progress of a job"),
    request: { params: JobParams },
    responses: { 200: json(JobStatusSchema, "Its state and counts"), ...OF_JOB },
  },
  async (c) => {
    const job = await findJob(c.var.bucket, c.req.valid("param"), c.var.now());
    c.header("cache-control", "no-store");
    return c.json(await jobStatus(c.var.bucket, job), 200);
  },
);

export const readJobResults = route(
  {
    method: "get",
    path: "/v1/bundles/{benchmark}/{version}/estimates/jobs/{id}/results",
    ...operation("jobs", "readJobResults", "Read the results of a finished job, in the order of its models"),
    request: { params: JobParams },
    responses: {
      200: lines("One line per model, then their counts"),
      ...OF_JOB,
      409: transient("The job is still running"),
    },
  },
  async (c) => {
    const job = await findJob(c.var.bucket, c.req.valid("param"), c.var.now());
    const progress = await jobStatus(c.var.bucket, job);
    if (progress.state === "running")
      throw new HttpProblem(
        "job_running",
        `${progress.results + progress.problems} of ${progress.models} models are done: try again later`,
        { headers: { "retry-after": "2" } },
      );
    return new Response(streamResults(c.var.bucket, job, progress), {
      headers: { "content-type": NDJSON, "cache-control": "no-store" },
    });
  },
);

/**
 * Finds the job that a path names. It must be of the path's benchmark, whose scope the caller has shown, and version.
 * @throws AnchorEvalError `not_found`, `unavailable`; HttpProblem `job_expired`
 */
async function findJob(
  bucket: BundleBucket,
  { benchmark, version, id }: Pick<Job, "benchmark" | "version" | "id">,
  now: number,
): Promise<Job> {
  const job = await readJob(bucket, id, now);
  if (job?.benchmark === benchmark && job.version === version) return job;
  throw new AnchorEvalError("not_found", `${benchmark}@${version} has no job ${id}`);
}

/**
 * Streams the results of a finished job in the order of its models, then their counts. One shard is open at a time. If
 * storage fails midway the stream breaks off without its last line.
 */
function streamResults(bucket: BundleBucket, job: Job, { results, problems }: JobStatus): ReadableStream {
  const { readable, writable } = new IdentityTransformStream();
  const send = async (): Promise<void> => {
    try {
      for (const shard of job.shards.keys()) {
        const object = await bucket.get(resultsKey(job.id, shard));
        if (object === null) throw new Error(`the results ${shard} of job ${job.id} are gone`);
        await object.body.pipeTo(writable, { preventClose: true, preventAbort: true });
      }
      const writer = writable.getWriter();
      await writer.write(jsonLine({ done: true, results, problems } satisfies ResultsEnd));
      await writer.close();
    } catch (error) {
      await writable.abort(error).catch(() => undefined); // already closed if the reader left
    }
  };
  void send();
  return readable;
}

import { z } from "@hono/zod-openapi";
import { JOB_ID } from "../jobs/job.ts";
import { VersionParams } from "./params.ts";

export const JobParams = VersionParams.extend({
  id: z
    .string()
    .regex(JOB_ID, "a job's id has 32 hexadecimal digits")
    .openapi({ example: "0123456789abcdef0123456789abcdef" }),
});

/** Mirrors `JobStatus` of anchoreval. */
export const JobStatusSchema = z
  .object({
    id: z.string().openapi({ description: "128 random bits: whoever knows it may read the job." }),
    benchmark: z.string(),
    version: z.string(),
    digest: z.string().openapi({ description: "Digest of the bundle, `sha256:…`." }),
    state: z.enum(["running", "done"]),
    models: z.number().int(),
    results: z.number().int().openapi({ description: "Models with an estimate so far." }),
    problems: z.number().int().openapi({ description: "Models with a problem so far." }),
    created: z.string(),
    expires: z.string().openapi({ description: "When it can't be read any more." }),
  })
  .openapi("JobStatus");

import { AnchorEvalError } from "anchoreval";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { readJob, type Job } from "../jobs/job.ts";

/**
 * The job that a path names: of this benchmark, whose scope the caller was asked for, and version.
 * @throws AnchorEvalError `not_found`, `unavailable`; HttpProblem `job_expired`
 */
export async function askedJob(
  bucket: BundleBucket,
  { benchmark, version, id }: Pick<Job, "benchmark" | "version" | "id">,
  now: number,
): Promise<Job> {
  const job = await readJob(bucket, id, now);
  if (job?.benchmark === benchmark && job.version === version) return job;
  throw new AnchorEvalError("not_found", `${benchmark}@${version} has no job ${id}`);
}

import { AnchorEvalError, type JobStatus } from "anchoreval";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { createOnce, readJson, resultsPrefix, summaryKey, type Job } from "./job.ts";

/** summary.json: how a job ended. */
interface JobSummary {
  readonly results: number;
  readonly problems: number;
}

/**
 * How far a job is. Whoever sees that all its shards have results writes the summary, once: the consumer of the last one,
 * or a reader where that consumer died.
 * @throws AnchorEvalError `unavailable`
 */
export async function jobStatus(bucket: BundleBucket, job: Job): Promise<JobStatus> {
  const about = describeJob(job);
  const { id } = job;
  const summary = await readJson<JobSummary>(bucket, summaryKey(id));
  if (summary) return { ...about, state: "done", ...summary };
  const { shards, ...counts } = await countResults(bucket, id);
  if (shards < job.shards.length) return { ...about, state: "running", ...counts };
  await createOnce(bucket, summaryKey(id), new TextEncoder().encode(JSON.stringify(counts)));
  return { ...about, state: "done", ...counts };
}

/** What of a job doesn't change. */
export function describeJob({ id, benchmark, version, digest, created, expires, models }: Job) {
  return { id, benchmark, version, digest, created, expires, models };
}

async function countResults(bucket: BundleBucket, id: string): Promise<JobSummary & { shards: number }> {
  let [shards, results, problems] = [0, 0, 0];
  let cursor: string | undefined;
  try {
    do {
      const page = await bucket.list({
        prefix: resultsPrefix(id),
        include: ["customMetadata"],
        ...(cursor !== undefined && { cursor }),
      });
      for (const { customMetadata = {} } of page.objects) {
        shards++;
        results += Number(customMetadata["results"]);
        problems += Number(customMetadata["problems"]);
      }
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `the R2 bucket could not list the results of job ${id}`, { cause });
  }
  return { shards, results, problems };
}

import { AnchorEvalError, type BatchLine } from "anchoreval";
import { estimateLine, modelOf } from "../batch/estimate-line.ts";
import type { BatchBundle } from "../batch/estimate-model.ts";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { jsonLine, textLines } from "../http/ndjson.ts";
import { createOnce, requestsKey, resultsKey, type Job } from "./job.ts";

/**
 * Estimates the models of a shard, whose results are created once, whoever is first: a message that comes twice changes
 * nothing.
 * @throws AnchorEvalError `unavailable`, and what loading the bundle throws: nothing was written
 */
export async function runShard(
  bucket: BundleBucket,
  job: Job,
  shard: number,
  open: () => Promise<BatchBundle>,
): Promise<void> {
  const batch = await open();
  if (batch.bundle.digest !== job.digest)
    throw new AnchorEvalError("bundle_corrupt", `${job.benchmark}@${job.version} is not ${job.digest} any more`);
  await writeResults(bucket, job, shard, (line, index) => estimateLine(batch, line, index));
}

/** Ends a shard that can't be run: each of its models has this problem. */
export async function giveUpShard(bucket: BundleBucket, job: Job, shard: number): Promise<void> {
  const problem = {
    code: "unavailable",
    detail: "this part of the job failed each time that it was tried: send these models again",
    issues: [],
  };
  await writeResults(bucket, job, shard, (line, index) => ({ index, model: nameIn(line), problem }));
}

async function writeResults(
  bucket: BundleBucket,
  job: Job,
  shard: number,
  resultOf: (line: string, index: number) => BatchLine,
): Promise<void> {
  const { first, models } = job.shards[shard]!;
  const requests = await readRequests(bucket, job, shard);
  const lines = requests.map((line, k) => resultOf(line, first + k));
  const results = lines.filter((line) => "estimate" in line).length;
  const bytes = new Uint8Array(await new Blob(lines.map(jsonLine)).arrayBuffer());
  await createOnce(bucket, resultsKey(job.id, shard), bytes, {
    results: String(results),
    problems: String(models - results),
  });
}

async function readRequests(bucket: BundleBucket, { id, shards }: Job, shard: number): Promise<string[]> {
  const { begin, end, models } = shards[shard]!;
  let lines: string[] | undefined;
  let cause: unknown;
  try {
    const object = await bucket.get(requestsKey(id), { range: { offset: begin, length: end - begin } });
    lines = object ? textLines(await object.arrayBuffer()) : [];
  } catch (error) {
    cause = error;
  }
  if (lines?.length === models) return lines;
  throw new AnchorEvalError("unavailable", `the R2 bucket could not read the requests of job ${id}`, { cause });
}

function nameIn(line: string): string | null {
  try {
    return modelOf(JSON.parse(line));
  } catch {
    return null;
  }
}

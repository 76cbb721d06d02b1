import type { JobStatus } from "anchoreval";
import { jsonLine } from "../http/ndjson.ts";
import type { ResultsEnd } from "../batch/result-lines.ts";
import type { BundleBucket } from "../bundles/bundle-bucket.ts";
import { resultsKey, type Job } from "./job.ts";

/**
 * The results of a job that is done, in the order of its models, then their counts: one shard is open at a time. Where
 * storage fails under way the stream breaks off, without its last line.
 */
export function jobResults(bucket: BundleBucket, job: Job, { results, problems }: JobStatus): ReadableStream {
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
      await writable.abort(error).catch(() => undefined); // it is closed where the reader left
    }
  };
  void send();
  return readable;
}

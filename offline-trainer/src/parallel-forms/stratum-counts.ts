import { rounded } from "../fit/held-out-scores.ts";
import type { ParallelForms } from "./build-parallel-forms.ts";
import { marginCounts } from "./quotas.ts";
import type { Counted } from "./summary-types.ts";

/** Items of a form in every stratum. */
export function drawnCounts({ strata, stratumOf }: ParallelForms, items: Uint32Array): Int32Array {
  const counts = new Int32Array(strata.length);
  for (const item of items) counts[stratumOf[item]!]!++;
  return counts;
}

export function countedSubjects(built: ParallelForms, counts: ArrayLike<number>): Record<string, Counted> {
  return counted(marginCounts(built.strata, "subject", counts), (subject) => built.pool.subjects[subject]!);
}

export function countedBuckets(built: ParallelForms, counts: ArrayLike<number>): Record<string, Counted> {
  return counted(marginCounts(built.strata, "bucket", counts), (bucket) => bucketName(built, bucket));
}

function counted(counts: readonly number[], name: (k: number) => string): Record<string, Counted> {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return Object.fromEntries(counts.map((items, k) => [name(k), { items, share: rounded(items / all) }]));
}

/** What a bucket is called: its number from the lowest difficulty, from 1. */
export function bucketName({ buckets }: ParallelForms, bucket: number): string {
  return buckets[bucket]!.unknown ? "unknown" : String(bucket + 1);
}

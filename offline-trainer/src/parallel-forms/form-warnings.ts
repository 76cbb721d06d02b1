import type { ParallelForms } from "./build-parallel-forms.ts";
import { marginCounts } from "./quotas.ts";

/** Models below which difficulties are rough. */
const FEW_MODELS = 20;

/**
 * What users of some forms should be told before they use them.
 * @param drawn - items of every form in every stratum @param wanted - buckets that were asked for
 */
export function* formWarnings(built: ParallelForms, drawn: readonly Int32Array[], wanted: number): Generator<string> {
  const { difficulty, pool, buckets, quotas, forms } = built;
  const { answered, values, source } = difficulty;
  const unknown = buckets.find((bucket) => bucket.unknown)?.items ?? 0;
  const graded = buckets.filter((bucket) => !bucket.unknown).length;
  if (values !== null && unknown > 0)
    yield `${counting(unknown, "item")} of ${pool.rows.length} ${unknown === 1 ? "has" : "have"} no difficulty (${source.kind === "column" ? "an empty cell" : "no responses"}): they are a bucket of their own, "unknown"`;
  if (values !== null && graded < wanted)
    yield `equal difficulties leave ${counting(graded, "bucket")} of the ${wanted} that were asked for`;
  const absent = marginCounts(built.strata, "subject", sums(drawn)).filter((count) => count === 0).length;
  if (absent > 0)
    yield `${counting(absent, "subject")} of ${pool.subjects.length} ${absent === 1 ? "is" : "are"} too small to have an item in forms of ${forms[0]!.items.length}`;
  if (!quotas.identical) yield "some strata have too few items to give every form the same: forms differ there";
  if (source.kind === "responses" && source.borrowed === "no" && (source.sameTexts?.other ?? 0) > 0)
    yield `the answers were said to be to these very items, but ${source.sameTexts!.other} of ${source.sameTexts!.same + source.sameTexts!.other} have another text there`;
  if (answered !== null && answered.models < FEW_MODELS) yield `difficulties from ${answered.models} models are rough`;
}

function sums(drawn: readonly Int32Array[]): number[] {
  return Array.from(drawn[0]!, (_, s) => drawn.reduce((sum, counts) => sum + counts[s]!, 0));
}

function counting(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

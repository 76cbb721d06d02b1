import { rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { numbers, mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { ParallelForms } from "./build-forms.ts";
import type { FormsCheck } from "./check-forms.ts";
import { curvesSummary, equatingSummary, pairSummaries } from "./form-curves.ts";
import { marginCounts, marginDistance } from "./quotas.ts";

/** A description of parallel forms for their users; `summary.json` is this and the files' digests. */
export type FormsSummary = ReturnType<typeof summarizeForms>;

/**
 * Describes parallel forms. Distances are L1, Σ|share − share|, by subject and by bucket of difficulty: 0 to 2.
 * @param seed - that they were built with @param buckets - requested
 * @param check - of {@link checkForms}: differences on models that had no part in calibration and choice
 */
export function summarizeForms(
  built: ParallelForms,
  seed: number,
  buckets: number,
  check: FormsCheck = { kind: "none", reason: "not asked for" },
) {
  const { forms, pool, difficulty, strata, quotas, refinement } = built;
  const { answered, values, source } = difficulty;
  const everything = Uint32Array.from(pool.rows.keys());
  const drawn = forms.map(({ items }) => drawnCounts(built, items));
  const graded = numbers(values ?? []).length;
  /** Numbered from the lowest difficulty; `unknown` has the items without one. */
  const bucketNames = built.buckets.map(({ unknown }, k) => (unknown ? "unknown" : String(k + 1)));
  return {
    options: {
      size: forms[0]!.items.length,
      count: forms.length,
      buckets,
      by: pool.by,
      seed,
      exclude: Object.fromEntries(pool.excluded.map(({ subject, items }) => [subject, items])),
    },
    pool: {
      items: pool.rows.length,
      idColumn: pool.ids?.column ?? null,
      subjects: counted(marginCounts(strata, "subject"), pool.subjects),
      buckets: built.buckets.map((bucket, k) => ({
        bucket: bucketNames[k]!,
        from: bucket.unknown ? null : rounded(bucket.from),
        to: bucket.unknown ? null : rounded(bucket.to),
        items: bucket.items,
        share: rounded(bucket.items / pool.rows.length),
      })),
      difficulty: difficultyMoments(values, everything),
    },
    difficulty: {
      ...source,
      method: METHODS[source.kind],
      known: graded,
      unknown: pool.rows.length - graded,
      calibration: answered && {
        /** Of the response curves that forms are matched in. */
        dims: answered.dims,
        threshold: answered.threshold,
        converged: answered.converged,
      },
    },
    forms: forms.map(({ items }, form) => ({
      form: form + 1,
      items: items.length,
      subjects: counted(marginCounts(strata, "subject", drawn[form]), pool.subjects),
      buckets: counted(marginCounts(strata, "bucket", drawn[form]), bucketNames),
      /** To the pool. */
      distance: {
        subjects: rounded(marginDistance(strata, drawn[form]!, "subject")),
        difficulty: rounded(marginDistance(strata, drawn[form]!, "bucket")),
      },
      difficulty: difficultyMoments(values, items),
    })),
    pairs: pairSummaries(built, drawn),
    /** Smallest possible distance of a form of this size, each margin by itself: counts are whole numbers. */
    leastDistance: { subjects: rounded(quotas.least.subjects), difficulty: rounded(quotas.least.buckets) },
    /** Every form has the same number of items in every stratum. */
    identicalQuotas: quotas.identical,
    refinement: refinement && {
      ...refinement,
      before: Number(refinement.before.toPrecision(6)),
      after: Number(refinement.after.toPrecision(6)),
    },
    curves: answered && curvesSummary(built, answered, everything),
    equating: equatingSummary(built, everything),
    check,
    warnings: [...formWarnings(built, buckets)],
  };
}

const METHODS = {
  none: "none: forms are alike in subjects alone",
  column: "a column of the items, as it stands",
  responses: "logit of the share of wrong answers expected of the answering models by a penalised 2PL in one dimension",
};

/** Of the items whose difficulty is known; null where it isn't of any. */
function difficultyMoments(values: Float64Array | null, items: Uint32Array): { mean: number; sd: number } | null {
  const difficulties = values === null ? [] : numbers(Array.from(items, (item) => values[item]!));
  if (difficulties.length === 0) return null;
  const centre = mean(difficulties);
  return { mean: rounded(centre), sd: rounded(Math.sqrt(mean(difficulties.map((value) => (value - centre) ** 2)))) };
}

/** Items of a form in every stratum. */
function drawnCounts({ strata, stratumOf }: ParallelForms, items: Uint32Array): Int32Array {
  const counts = new Int32Array(strata.length);
  for (const item of items) counts[stratumOf[item]!]!++;
  return counts;
}

/** Items by name, and their share of all. */
function counted(
  counts: readonly number[],
  names: readonly string[],
): Record<string, { items: number; share: number }> {
  const all = total(counts);
  return Object.fromEntries(counts.map((items, k) => [names[k]!, { items, share: rounded(items / all) }]));
}

/** Models below which difficulties are imprecise. */
const FEW_MODELS = 20;

/** @param wanted - buckets requested */
function* formWarnings(
  { difficulty: { answered, values, source }, pool, buckets, quotas, forms }: ParallelForms,
  wanted: number,
): Generator<string> {
  const unknown = buckets.find((bucket) => bucket.unknown)?.items ?? 0;
  const graded = buckets.filter((bucket) => !bucket.unknown).length;
  if (values !== null && unknown > 0)
    yield `${counting(unknown, "item")} of ${pool.rows.length} ${unknown === 1 ? "has" : "have"} no difficulty (${source.kind === "column" ? "an empty cell" : "no responses"}): they form a bucket of their own, "unknown"`;
  if (values !== null && graded < wanted)
    yield `equal difficulties leave ${counting(graded, "bucket")} of the ${wanted} requested`;
  const present = new Set(forms.flatMap(({ items }) => Array.from(items, (item) => pool.subjectOf[item])));
  const absent = pool.subjects.length - present.size;
  if (absent > 0)
    yield `${counting(absent, "subject")} of ${pool.subjects.length} ${absent === 1 ? "is" : "are"} too small to have an item in forms of ${forms[0]!.items.length}`;
  if (!quotas.identical)
    yield "some strata have too few items for every form to have the same number: forms differ there";
  if (source.kind === "responses" && source.borrowed === "no" && (source.sameTexts?.other ?? 0) > 0)
    yield `the answers were said to be to these very items, but ${source.sameTexts!.other} of ${source.sameTexts!.same + source.sameTexts!.other} have another text there`;
  if (answered !== null && answered.models < FEW_MODELS)
    yield `difficulties from ${answered.models} models are imprecise`;
}

function counting(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

import { rounded } from "../../fit/held-out-scores.ts";
import type { ParallelForms } from "./build-forms.ts";
import type { FormsCheck } from "./check-forms.ts";
import type { DifficultySource } from "./difficulty.ts";
import {
  curvesSummary,
  equatingSummary,
  pairSummaries,
  type CurvesSummary,
  type Distances,
  type EquatingSummary,
  type PairSummary,
} from "./form-curves.ts";
import { marginCounts, marginDistance } from "./quotas.ts";
import type { Refinement } from "./refine-forms.ts";

/** Items, and their share of all. */
interface Counted {
  readonly items: number;
  readonly share: number;
}

/** Mean and standard deviation of items' difficulties. */
interface DifficultyMoments {
  readonly mean: number;
  readonly sd: number;
}

interface BucketSummary extends Counted {
  /** Numbered from the lowest difficulty; `unknown` has the items without one. */
  readonly bucket: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** Composition of a form, and its distance to the pool. */
interface FormSummary {
  readonly form: number;
  readonly items: number;
  readonly subjects: Readonly<Record<string, Counted>>;
  readonly buckets: Readonly<Record<string, Counted>>;
  /** To the pool. */
  readonly distance: Distances;
  /** Of the items whose difficulty is known; null where it isn't of any. */
  readonly difficulty: DifficultyMoments | null;
}

/** A description of parallel forms for their users; `summary.json` is this and the files' digests. */
export interface FormsSummary {
  readonly options: {
    readonly size: number;
    readonly count: number;
    readonly buckets: number;
    readonly by: string | null;
    readonly seed: number;
    readonly exclude: Readonly<Record<string, number>>;
  };
  readonly pool: {
    readonly items: number;
    readonly idColumn: string | null;
    readonly subjects: Readonly<Record<string, Counted>>;
    readonly buckets: readonly BucketSummary[];
    readonly difficulty: DifficultyMoments | null;
  };
  readonly difficulty: DifficultySource & {
    readonly method: string;
    readonly known: number;
    readonly unknown: number;
    /** Of the calibration; null without one. */
    readonly calibration: {
      /** Of the response curves that forms are matched in. */
      readonly dims: number;
      /** Scores above it were taken as right; null where all are 0 or 1. */
      readonly threshold: number | null;
      readonly converged: boolean;
    } | null;
  };
  readonly forms: readonly FormSummary[];
  readonly pairs: readonly PairSummary[];
  /** Smallest possible distance of a form of this size, each margin by itself: counts are whole numbers. */
  readonly leastDistance: Distances;
  /** Every form has the same number of items in every stratum. */
  readonly identicalQuotas: boolean;
  readonly refinement: Refinement | null;
  readonly curves: CurvesSummary | null;
  readonly equating: EquatingSummary;
  /** Differences on models that had no part in calibration and choice. */
  readonly check: FormsCheck;
  readonly warnings: readonly string[];
}

/**
 * Describes parallel forms.
 * @param seed - that they were built with @param buckets - requested
 * @param check - of {@link checkForms}
 */
export function summarizeForms(
  built: ParallelForms,
  seed: number,
  buckets: number,
  check: FormsCheck = NOT_CHECKED,
): FormsSummary {
  const { forms, pool, difficulty, strata, quotas, refinement } = built;
  const { answered, values } = difficulty;
  const size = forms[0]!.items.length;
  const everything = Uint32Array.from(pool.rows.keys());
  const drawn = forms.map(({ items }) => drawnCounts(built, items));
  const known = values === null ? 0 : values.filter((value) => !Number.isNaN(value)).length;
  return {
    options: {
      size,
      count: forms.length,
      buckets,
      by: pool.by,
      seed,
      exclude: Object.fromEntries(pool.excluded.map(({ subject, items }) => [subject, items])),
    },
    pool: {
      items: pool.rows.length,
      idColumn: pool.ids?.column ?? null,
      subjects: countedSubjects(
        built,
        strata.map(({ count }) => count),
      ),
      buckets: built.buckets.map((bucket, k) => ({
        bucket: bucketName(built, k),
        from: bucket.unknown ? null : rounded(bucket.from),
        to: bucket.unknown ? null : rounded(bucket.to),
        items: bucket.items,
        share: rounded(bucket.items / pool.rows.length),
      })),
      difficulty: difficultyMoments(values, everything),
    },
    difficulty: {
      ...difficulty.source,
      method: METHODS[difficulty.source.kind],
      known,
      unknown: pool.rows.length - known,
      calibration: answered && {
        dims: answered.dims,
        threshold: answered.threshold,
        converged: answered.converged,
      },
    },
    forms: forms.map(({ items }, form) => ({
      form: form + 1,
      items: items.length,
      subjects: countedSubjects(built, drawn[form]!),
      buckets: countedBuckets(built, drawn[form]!),
      distance: {
        subjects: rounded(marginDistance(strata, drawn[form]!, "subject")),
        difficulty: rounded(marginDistance(strata, drawn[form]!, "bucket")),
      },
      difficulty: difficultyMoments(values, items),
    })),
    pairs: pairSummaries(built, drawn),
    leastDistance: { subjects: rounded(quotas.least.subjects), difficulty: rounded(quotas.least.buckets) },
    identicalQuotas: quotas.identical,
    refinement: refinement && {
      ...refinement,
      before: Number(refinement.before.toPrecision(6)),
      after: Number(refinement.after.toPrecision(6)),
    },
    curves: answered && curvesSummary(built, answered, everything),
    equating: equatingSummary(built, everything),
    check,
    warnings: [...formWarnings(built, drawn, buckets)],
  };
}

const NOT_CHECKED: FormsCheck = { kind: "none", reason: "not asked for" };

const METHODS: Readonly<Record<DifficultySource["kind"], string>> = {
  none: "none: forms are alike in subjects alone",
  column: "a column of the items, as it stands",
  responses: "logit of the share of wrong answers expected of the answering models by a penalised 2PL in one dimension",
};

function difficultyMoments(values: Float64Array | null, items: Uint32Array): DifficultyMoments | null {
  if (values === null) return null;
  const known = Float64Array.from(items, (item) => values[item]!).filter((value) => !Number.isNaN(value));
  if (known.length === 0) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length;
  return { mean: rounded(mean), sd: rounded(Math.sqrt(variance)) };
}

/** Items of a form in every stratum. */
export function drawnCounts({ strata, stratumOf }: ParallelForms, items: Uint32Array): Int32Array {
  const counts = new Int32Array(strata.length);
  for (const item of items) counts[stratumOf[item]!]!++;
  return counts;
}

function countedSubjects(built: ParallelForms, counts: ArrayLike<number>): Record<string, Counted> {
  return counted(marginCounts(built.strata, "subject", counts), (subject) => built.pool.subjects[subject]!);
}

function countedBuckets(built: ParallelForms, counts: ArrayLike<number>): Record<string, Counted> {
  return counted(marginCounts(built.strata, "bucket", counts), (bucket) => bucketName(built, bucket));
}

function counted(counts: readonly number[], name: (k: number) => string): Record<string, Counted> {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return Object.fromEntries(counts.map((items, k) => [name(k), { items, share: rounded(items / all) }]));
}

/** A bucket's name: its number from the lowest difficulty, from 1. */
function bucketName({ buckets }: ParallelForms, bucket: number): string {
  return buckets[bucket]!.unknown ? "unknown" : String(bucket + 1);
}

/** Models below which difficulties are imprecise. */
const FEW_MODELS = 20;

/**
 * Warnings about forms.
 * @param drawn - items of every form in every stratum @param wanted - buckets requested
 */
function* formWarnings(built: ParallelForms, drawn: readonly Int32Array[], wanted: number): Generator<string> {
  const { difficulty, pool, buckets, quotas, forms } = built;
  const { answered, values, source } = difficulty;
  const unknown = buckets.find((bucket) => bucket.unknown)?.items ?? 0;
  const graded = buckets.filter((bucket) => !bucket.unknown).length;
  if (values !== null && unknown > 0)
    yield `${counting(unknown, "item")} of ${pool.rows.length} ${unknown === 1 ? "has" : "have"} no difficulty (${source.kind === "column" ? "an empty cell" : "no responses"}): they form a bucket of their own, "unknown"`;
  if (values !== null && graded < wanted)
    yield `equal difficulties leave ${counting(graded, "bucket")} of the ${wanted} requested`;
  const absent = marginCounts(built.strata, "subject", sums(drawn)).filter((count) => count === 0).length;
  if (absent > 0)
    yield `${counting(absent, "subject")} of ${pool.subjects.length} ${absent === 1 ? "is" : "are"} too small to have an item in forms of ${forms[0]!.items.length}`;
  if (!quotas.identical)
    yield "some strata have too few items for every form to have the same number: forms differ there";
  if (source.kind === "responses" && source.borrowed === "no" && (source.sameTexts?.other ?? 0) > 0)
    yield `the answers were said to be to these very items, but ${source.sameTexts!.other} of ${source.sameTexts!.same + source.sameTexts!.other} have another text there`;
  if (answered !== null && answered.models < FEW_MODELS)
    yield `difficulties from ${answered.models} models are imprecise`;
}

function sums(drawn: readonly Int32Array[]): number[] {
  return Array.from(drawn[0]!, (_, s) => drawn.reduce((sum, counts) => sum + counts[s]!, 0));
}

function counting(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

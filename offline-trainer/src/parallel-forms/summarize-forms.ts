import { rounded } from "../fit/held-out-scores.ts";
import type { ParallelForms } from "./build-parallel-forms.ts";
import type { DifficultySource } from "./difficulty.ts";
import { formWarnings } from "./form-warnings.ts";
import { marginDistance } from "./quotas.ts";
import type { FormsCheck } from "./check-forms.ts";
import { bucketName, countedBuckets, countedSubjects, drawnCounts } from "./stratum-counts.ts";
import { curvesSummary, pairSummaries } from "./summarize-curves.ts";
import { equatingSummary } from "./summarize-equating.ts";
import type { DifficultyMoments, FormsSummary } from "./summary-types.ts";

/**
 * Describes parallel forms.
 * @param seed - that they were built with @param buckets - that were asked for
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
      difficulty: moments(values, everything),
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
      difficulty: moments(values, items),
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

function moments(values: Float64Array | null, items: Uint32Array): DifficultyMoments | null {
  if (values === null) return null;
  const known = Float64Array.from(items, (item) => values[item]!).filter((value) => !Number.isNaN(value));
  if (known.length === 0) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length;
  return { mean: rounded(mean), sd: rounded(Math.sqrt(variance)) };
}

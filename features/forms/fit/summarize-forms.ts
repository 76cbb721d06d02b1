import { rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { numbers, mean, total, variance } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { ParallelForms, FormsCheck } from "./build-forms.ts";
import { curvesSummary, equatingSummary, pairSummaries } from "./form-curves.ts";
import { marginCounts, marginDistance } from "./quotas.ts";
import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import { itemTableLines } from "../../../offline-trainer/src/matrix/item-table.ts";

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
  return { mean: rounded(mean(difficulties)), sd: rounded(Math.sqrt(variance(difficulties))) };
}

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

/** `summary.json`: the summary, what it was made from and by, and the forms' files. */
export type FormsDocument = ReturnType<typeof formFiles>["document"];

export function formFile(form: number): string {
  return `form-${form}.csv`;
}

/**
 * The files of parallel forms by name: every form as CSV with all columns of the items, in the items' order, and
 * `summary.json`.
 * @param inputs - digests of what was read, as `sha256:…`, and so are those of the files
 * @param version - of the trainer
 */
export function formFiles(
  { forms, pool }: ParallelForms,
  summary: FormsSummary,
  inputs: { readonly items: string; readonly responses?: string; readonly responseItems?: string },
  version: string,
) {
  const files = new Map(
    forms.map(({ items }, form) => {
      const rows = items.map((item) => pool.rows[item]!);
      return [formFile(form + 1), [...itemTableLines(pool.table, rows)].join("")];
    }),
  );
  const digests = Object.fromEntries(Array.from(files, ([name, text]) => [name, `sha256:${sha256Text(text)}`]));
  const document = { version, inputs, files: digests, ...summary };
  files.set("summary.json", documentText(document));
  return { document, files };
}

/** Readable JSON: a line a value, lists of numbers on one line. */
function documentText(document: object): string {
  // No string can match this: in JSON its line ends are escaped.
  const text = JSON.stringify(document, null, 2).replace(/\[\n\s+(-?\d[^"{}[\]]*?)\n\s+\]/g, (_, numbers: string) => {
    return `[${numbers.replace(/\s+/g, " ")}]`;
  });
  return `${text}\n`;
}

/** Closing lines of building forms, a sentence or two each. */
export function formsWords(summary: FormsSummary): string[] {
  const { options, pool, forms, pairs, leastDistance, refinement } = summary;
  const excluded = Object.values(options.exclude).reduce((sum, items) => sum + items, 0);
  const buckets = pool.buckets.filter(({ bucket }) => bucket !== "unknown").length;
  const most = (valueOf: (pair: FormsSummary["pairs"][0]) => number): number => Math.max(...pairs.map(valueOf));
  const subjects = Object.keys(pool.subjects).length;
  const lines = [
    `${options.count} forms of ${options.size} items, disjoint, from ${pool.items}${excluded > 0 ? ` (${excluded} of excluded subjects left out)` : ""}: ` +
      `${subjects} ${subjects === 1 ? "subject" : "subjects"}, ${buckets === 0 ? "no difficulty" : `${buckets} ${buckets === 1 ? "bucket" : "buckets"} of difficulty`}, seed ${options.seed}.`,
    `L1 distance to the pool: ${range(forms.map(({ distance }) => distance.subjects))} by subject (no form of ${options.size} can be below ${short(leastDistance.subjects)})` +
      (buckets === 0
        ? ""
        : `, ${range(forms.map(({ distance }) => distance.difficulty))} by difficulty (${short(leastDistance.difficulty)})`) +
      `; between forms: ${short(most(({ distance }) => distance.subjects))}${buckets === 0 ? "" : ` and ${short(most(({ distance }) => distance.difficulty))}`}.`,
  ];
  const [pair] = pairs;
  if (pair?.expectedScoreDifference) {
    const mean = most(({ expectedScoreDifference }) => expectedScoreDifference!.mean);
    const largest = most(({ expectedScoreDifference }) => expectedScoreDifference!.largest);
    let words = `Expected scores of two forms differ by ${points(mean)} points on average over the models, by at most ${points(largest)}.`;
    if (pair.chanceDifference !== null)
      words += ` One model's two scores still differ by ${points(most(({ chanceDifference }) => chanceDifference!))} points on average by chance alone.`;
    lines.push(words);
  }
  if (refinement)
    lines.push(
      `Swaps: ${refinement.swaps} in ${refinement.passes} ${refinement.passes === 1 ? "pass" : "passes"} reduced the mismatch from ${refinement.before.toPrecision(2)} to ${refinement.after.toPrecision(2)}.`,
    );
  lines.push(difficultyWords(summary), equatingWords(summary), checkWords(summary));
  return lines;
}

function difficultyWords({ difficulty }: FormsSummary): string {
  switch (difficulty.kind) {
    case "none":
      return "Difficulty: none given, so the forms are alike in subjects only. Add it with `responses` or `difficulty`.";
    case "column":
      return `Difficulty: column ${JSON.stringify(difficulty.column)} of the items, ${difficulty.known} of them.`;
    case "responses": {
      const { dims, converged } = difficulty.calibration || { dims: 1, converged: true };
      const curves = ` Calibrated in ${dims === 1 ? "one dimension" : `${dims} dimensions`}${converged ? "" : "; the calibration didn't converge, so that expected scores are less sure"}.`;
      const from = `Difficulty: from the answers of ${difficulty.models} models to ${difficulty.known} of the items, joined by ${JSON.stringify(difficulty.join)}.${curves}`;
      const texts = difficulty.sameTexts;
      const seen = texts ? ` (${texts.same} of ${texts.same + texts.other} texts are the same)` : "";
      if (difficulty.borrowed === "no") return `${from} The answers are to these very items${seen}.`;
      if (difficulty.borrowed === "yes")
        return `${from} It is borrowed: the answers are to other texts than these${seen}, in another language or version.`;
      return `${from} It is treated as borrowed: it isn't known whether the answers are to these very texts. Say so with \`sameItems\`, or let texts be compared with \`responseItems\`.`;
    }
  }
}

function equatingWords({ equating }: FormsSummary): string {
  const verified = equating.verified ? "verified: " : "not verified: ";
  return `Equated scores (${equating.method === "identity" ? "identity" : "IRT true score"}), ${verified}${equating.note}.`;
}

function checkWords({ check, difficulty, options }: FormsSummary): string {
  if (check.kind === "none") return `Not checked on held-out models: ${check.reason}.`;
  const { folds, models, families, forms, random, ratio } = check;
  const borrowed =
    difficulty.kind === "responses" && difficulty.borrowed !== "no"
      ? " Their answers are borrowed, too: on the items' own texts the difference may be larger."
      : "";
  return (
    `Checked on ${models} models of ${families} families, held out in ${folds} parts, with forms of ${options.size} rebuilt without each: ` +
    `their scores on two forms differ by ${points(forms.mean)} points on average (± ${points(forms.standardError)}), on two random ones by ${points(random.mean)} (${ratio.mean.toFixed(2)} ± ${ratio.standardError.toFixed(2)} of it).${borrowed}`
  );
}

function points(fraction: number): string {
  return (100 * fraction).toFixed(fraction < 0.001 ? 2 : 1);
}

function short(distance: number): string {
  return distance.toFixed(3);
}

function range(distances: readonly number[]): string {
  const [least, most] = [short(Math.min(...distances)), short(Math.max(...distances))];
  return least === most ? least : `${least} to ${most}`;
}

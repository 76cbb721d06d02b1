import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import { itemTableLines } from "../../../offline-trainer/src/matrix/item-table.ts";
import type { ParallelForms } from "./build-forms.ts";
import type { FormsSummary } from "./summarize-forms.ts";

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

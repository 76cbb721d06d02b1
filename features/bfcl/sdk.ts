import { failureReason } from "../../sdk/logs/attempts.ts";
import { chooseMetric } from "../../sdk/logs/choices.ts";
import type { LoggedCost } from "../../sdk/logs/cost.ts";
import { type Fields, filledLines, filledText, list, numberOf, parseLine, record } from "../../sdk/logs/json.ts";
import type { RunSamples } from "../../sdk/logs/run-log.ts";
import { emptyRun, invalidLog, type LoggedRow, type SampleOptions, scoreRows } from "../../sdk/logs/score-rows.ts";
import type { LineBatch } from "../../sdk/tables/chunk-lines.ts";
import { DataIssues, firstFew, quoted } from "../../sdk/tables/data-issues.ts";

/** The one metric: a call, a refusal to call or an outcome is right. */
export const ACCURACY = "accuracy";

/** Version whose categories and counts are known: of version 3, categories of the same names may have others. */
const COUNTED_VERSION = "v4";

/** Entries of the categories that are numbered `CATEGORY_0`, `CATEGORY_1`, …; source: the data of bfcl-eval 2026.3.23. */
const NUMBERED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ simple_python: 400, simple_java: 100, simple_javascript: 50 },
    ...{ multiple: 200, parallel: 200, parallel_multiple: 200, irrelevance: 240 },
    ...{ multi_turn_base: 200, multi_turn_miss_func: 200, multi_turn_miss_param: 200, multi_turn_long_context: 200 },
    ...{ web_search_base: 100, web_search_no_snippet: 100 },
  }),
);

/** Entries of the others, whose ids no count tells; the same source. */
const NAMED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ live_simple: 258, live_multiple: 1053, live_parallel: 16, live_parallel_multiple: 24 },
    ...{ live_irrelevance: 884, live_relevance: 16 },
    ...{ memory_kv: 155, memory_vector: 155, memory_rec_sum: 155 },
  }),
);

/** Formats of one prompt, of which BFCL takes the spread: it is no part of its scores. */
export const UNSCORED = "format_sensitivity";

/** Entries of a memory category are asked of one of five scenarios, such as `customer`. */
const MEMORY_ID = /^memory_\w+?_\d+-(.+)-\d+$/;

/** A file's name in its parts. */
export interface BfclFileName {
  /** `v3` or `v4`. */
  readonly version: string;
  readonly category: string;
  readonly kind: "score" | "result";
}

/**
 * @returns null for the name of another file, and for the answers that fill a memory before its category is asked
 * @example bfclFileName("BFCL_v4_live_simple_score.json") // { version: "v4", category: "live_simple", kind: "score" }
 */
export function bfclFileName(name: string): BfclFileName | null {
  const [, version, category, kind] = /^BFCL_(v\d+)_(\w+)_(score|result)\.json$/.exec(name) ?? [];
  if (version === undefined || category === undefined || /_prereq$/.test(category)) return null;
  return { version, category, kind: kind === "score" ? "score" : "result" };
}

/** Entries of a whole category; null where that isn't known. */
export function entriesOf({ version, category }: BfclFileName): number | null {
  return version === COUNTED_VERSION ? (NUMBERED.get(category) ?? NAMED.get(category) ?? null) : null;
}

/** The scenario that an entry of a memory category is of; undefined for categories without such parts. */
export function memoryParts(category: string): ((id: number | string) => string) | undefined {
  if (!category.startsWith("memory_")) return undefined;
  return (id) => MEMORY_ID.exec(String(id))?.[1] ?? category;
}

/** The first line of a score file. */
export interface BfclHeader {
  readonly accuracy: number;
  readonly correct: number;
  readonly total: number;
}

/** @throws AnchorEvalError `invalid_data` where the first line has no accuracy and counts */
export function readBfclHeader(text: string, file: string): BfclHeader {
  const issues = new DataIssues(file, { row: "line" });
  const fields = parseLine(text, 1, issues);
  issues.refuse();
  const [accuracy, correct, total] = [fields?.accuracy, fields?.correct_count, fields?.total_count].map(numberOf);
  if (accuracy == null || !isCount(correct) || !isCount(total) || fields?.id !== undefined || correct > total)
    throw invalidLog(
      file,
      "the first line of a score file has accuracy, correct_count and total_count, as bfcl evaluate writes it",
    );
  return { accuracy, correct, total };
}

function isCount(value: number | null | undefined): value is number {
  return Number.isInteger(value) && value! >= 0;
}

/** A category's files of one model. */
export interface BfclRun {
  readonly model: string;
  readonly name: BfclFileName;
  /** Lines of the score file. */
  readonly score: AsyncIterable<LineBatch>;
  /** The result file; null where there is none. */
  readonly result: { readonly file: string; readonly lines: AsyncIterable<LineBatch> } | null;
  /** Where the result file should lie, for messages. */
  readonly expected: string;
}

/**
 * The samples of one category: a score file names the entries that failed, so that those of the result file that it doesn't
 * name passed.
 * @throws AnchorEvalError `invalid_data` where the two files, or the score file's counts, don't agree, and where nothing says
 * which entries passed; `invalid_option` for another metric than `accuracy`
 */
export async function readBfclSamples(run: BfclRun, options: SampleOptions): Promise<RunSamples> {
  const { file } = options;
  const metric = chooseMetric(new Map([[ACCURACY, null]]), options);
  const { header, failed, models } = await readScore(run, file);
  const entries = run.result === null ? null : await readResults(run.result);
  const ids = entries === null ? numberedIds(run, header, file) : [...entries.keys()];
  checkCounts({ header, failed, ids: new Set(ids) }, run.result?.file ?? null, file);
  if (ids.length === 0) return emptyRun(options.task);
  const rows = ids.map((id): LoggedRow => {
    const entry = entries?.get(id) ?? { failure: failed.get(id) ?? null, cost: {} };
    const values = new Map([[ACCURACY, !failed.has(id)]]);
    return { row: id, id, hash: null, text: null, values, ...entry };
  });
  const issues = new DataIssues(file, { row: "entry" });
  const remarks = [
    ...(entries === null
      ? ["there is no result file, so that costs, and errors that BFCL counts as passed, aren't known"]
      : []),
    ...passedErrors(rows, failed),
    ...otherModels(models, run.model),
  ];
  return scoreRows(rows, { metric, filter: "none", issues, item: "entry", remarks }, options);
}

/** BFCL takes an error for an answer without a call, which is right where no function fits. */
function passedErrors(rows: readonly LoggedRow[], failed: ReadonlyMap<string, unknown>): string[] {
  const passed = rows.filter(({ id, failure }) => failure !== null && !failed.has(String(id)));
  if (passed.length === 0) return [];
  return [
    `of the entries whose inference failed, ${passed.length} passed, as BFCL takes an error for an answer without a call: \`errors\` missing or wrong counts them otherwise`,
  ];
}

/** Entries name their model as its folder was called when they were judged. */
function otherModels(models: ReadonlySet<string>, model: string): string[] {
  const others = [...models].filter((name) => name.replaceAll("/", "_") !== model.replaceAll("/", "_"));
  return others.length === 0 ? [] : [`its entries are of ${others.join(", ")}, and count as those of ${model}`];
}

interface ScoreFile {
  readonly header: BfclHeader;
  /** Why no answer came back, by the id of each entry that failed; null where one did. */
  readonly failed: ReadonlyMap<string, string | null>;
  /** The names that those entries have for the model. */
  readonly models: ReadonlySet<string>;
}

async function readScore({ score, name }: BfclRun, file: string): Promise<ScoreFile> {
  let header: BfclHeader | undefined;
  const [failed, models] = [new Map<string, string | null>(), new Set<string>()];
  const issues = new DataIssues(file, { row: "line" });
  for await (const { row, text } of filledLines(score)) {
    if (header === undefined) {
      header = readBfclHeader(text, file);
      continue;
    }
    const fields = parseLine(text, row, issues);
    if (fields === null) continue;
    const id = filledText(fields.id);
    const category = filledText(fields.test_category) ?? name.category;
    if (id === null) issues.add({ row }, "wrong_type", "an entry that failed has an id, which is text");
    else if (fields.valid === true)
      issues.add({ row }, "wrong_value", `${quoted(id)} is valid: a score file names the entries that failed`);
    else if (category !== name.category)
      issues.add({ row }, "wrong_value", `${quoted(id)} is of ${category}, and the file of ${name.category}`);
    else if (failed.has(id)) issues.add({ row }, "duplicate", `entry ${id} is there twice`);
    else failed.set(id, failureOf(fields));
    const model = filledText(fields.model_name);
    if (model !== null) models.add(model);
  }
  issues.refuse();
  return { header: header ?? readBfclHeader("{}", file), failed, models };
}

function failureOf({ model_result: result, model_result_raw: raw, error, error_type: type }: Fields): string | null {
  const inference = inferenceFailure(result ?? raw);
  const kind = filledText(type) ?? filledText(record(error).error_type);
  return inference ?? (kind?.endsWith(":inference_error") === true ? "the inference failed" : null);
}

/** Stands before the words of an error in place of an answer. */
const INFERENCE_ERROR = "Error during inference:";

function inferenceFailure(result: unknown): string | null {
  if (typeof result !== "string" || !result.startsWith(INFERENCE_ERROR)) return null;
  return failureReason(result.slice(INFERENCE_ERROR.length));
}

/** An entry as the result file has it. */
interface Entry {
  readonly failure: string | null;
  readonly cost: LoggedCost;
}

async function readResults({ file, lines }: NonNullable<BfclRun["result"]>): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  const issues = new DataIssues(file, { row: "line" });
  for await (const { row, text } of filledLines(lines)) {
    const fields = parseLine(text, row, issues);
    if (fields === null) continue;
    const id = filledText(fields.id);
    if (id === null) issues.add({ row }, "wrong_type", "an entry has an id, which is text");
    else if (entries.has(id)) issues.add({ row }, "duplicate", `entry ${id} is there twice`);
    else {
      const [input, output] = [nestedSum(fields.input_token_count), nestedSum(fields.output_token_count)];
      const tokens = input === null || output === null ? null : input + output;
      entries.set(id, {
        failure: inferenceFailure(fields.result),
        cost: { tokens, seconds: nestedSum(fields.latency) },
      });
    }
  }
  issues.refuse();
  return entries;
}

/** The sum of a number, or of lists of numbers by turns and steps; null where one of them isn't known. */
function nestedSum(value: unknown): number | null {
  if (!Array.isArray(value)) return numberOf(value);
  return list(value).reduce<number | null>((sum, part) => {
    const more = nestedSum(part);
    return sum === null || more === null ? null : sum + more;
  }, 0);
}

/** The entries of a whole numbered category. @throws AnchorEvalError `invalid_data` naming the file that is missing */
function numberedIds({ name, expected }: BfclRun, { total }: BfclHeader, file: string): string[] {
  const { category, version } = name;
  const count = version === COUNTED_VERSION ? NUMBERED.get(category) : undefined;
  if (count === total) return Array.from({ length: count }, (_, k) => `${category}_${k}`);
  const why =
    count === undefined
      ? `the ids of ${category} of ${version} don't follow from its count`
      : `${category} has ${count} entries, and ${total} were asked`;
  throw invalidLog(
    file,
    `it names only the entries that failed, and ${why}: ${expected} is missing, which has the others`,
  );
}

/** @throws AnchorEvalError `invalid_data` with the numbers where the files don't agree */
function checkCounts(
  { header, failed, ids }: Pick<ScoreFile, "header" | "failed"> & { readonly ids: ReadonlySet<string> },
  result: string | null,
  file: string,
): void {
  const { total, correct } = header;
  const strange = [...failed.keys()].filter((id) => !ids.has(id));
  const where = result ?? "the category";
  if (ids.size !== total)
    throw invalidLog(
      file,
      `total_count is ${total}, and ${where} has ${ids.size} entries: run bfcl evaluate again on these results`,
    );
  if (strange.length > 0) throw invalidLog(file, `it names entries that ${where} doesn't have: ${firstFew(strange)}`);
  if (total - failed.size !== correct)
    throw invalidLog(
      file,
      `correct_count is ${correct} of ${total}, and it names ${failed.size} entries that failed: they should be ${total - correct}`,
    );
}

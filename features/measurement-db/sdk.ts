import { lookUp } from "../../sdk/core/bundle/names.ts";
import { chooseMetric } from "../../sdk/logs/choices.ts";
import { type Fields, filledText, list, nameText, numberOf, record, versionText } from "../../sdk/logs/json.ts";
import { groupBy, type RunSamples, type TaskResults, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import {
  documentId,
  emptyRun,
  type LoggedRow,
  metricValue,
  type SampleOptions,
  scoreRows,
} from "../../sdk/logs/score-rows.ts";
import { DataIssues, jsonKind } from "../../sdk/tables/data-issues.ts";
import { decimalNumber } from "../../sdk/tables/score-reader.ts";

/** Rows of a table, in order. */
type Rows = AsyncIterable<Fields> | Iterable<Fields>;

/** The one metric. */
const RESPONSE = "response";

/** The columns of a table of responses; the last two aren't in all layouts. */
export const RESPONSE_COLUMNS = {
  all: ["subject_id", "item_id", "trial", "response"],
  some: ["benchmark_id", "test_condition"],
};
/** The columns that are read of `subjects`, `items` and `benchmarks`. */
export const SUBJECT_COLUMNS = {
  all: ["subject_id", "display_name"],
  some: ["provider", "release_date", "family"],
};
export const ITEM_COLUMNS = { all: ["item_id", "raw_item_id"], some: ["benchmark_id", "test_condition"] };
export const BENCHMARK_COLUMNS = { all: ["benchmark_id"], some: ["version", "response_scale", "response_type"] };

/** A model with its settings. */
export interface Subject {
  readonly name: string;
  /** When it was released, who provides it, its family. */
  readonly about: Readonly<Record<string, string>>;
}

/** Subjects by id. */
export async function readSubjects(rows: Rows, file: string): Promise<Map<string, Subject>> {
  const subjects = new Map<string, Subject>();
  await eachRow(rows, file, "subject_id", subjects, (fields) => {
    const about = Object.entries({
      date: dateText(fields.release_date),
      organization: filledText(fields.provider),
      family: filledText(fields.family),
    }).filter((entry): entry is [string, string] => entry[1] !== null);
    const name = filledText(fields.display_name);
    return name === null ? "display_name must be text" : { name, about: Object.fromEntries(about) };
  });
  return subjects;
}

/** A day, or a month where that is all that is known. */
function dateText(value: unknown): string | null {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString().slice(0, 10);
  return /^\d{4}-\d\d(?:-\d\d)?/.exec(filledText(value) ?? "")?.[0] ?? null;
}

/**
 * The names of models: subjects that share one, such as a model with several efforts, are called `NAME@SUBJECT_ID`.
 * @returns names by subject id, and those that are shared
 */
export function subjectNames(subjects: ReadonlyMap<string, Subject>): {
  readonly names: ReadonlyMap<string, string>;
  readonly shared: readonly string[];
} {
  const same = groupBy(subjects, ([, { name }]) => name.normalize("NFC"));
  const names = Array.from(
    subjects,
    ([id, { name }]) => [id, same.get(name.normalize("NFC"))!.length > 1 ? `${name}@${id}` : name] as const,
  );
  return { names: new Map(names), shared: [...same].filter(([, { length }]) => length > 1).map(([name]) => name) };
}

/** An item of a benchmark. */
export interface Item {
  /** The benchmark's id of it; its `item_id` where that is no single one's. */
  readonly document: number | string;
  readonly benchmark: string | null;
  readonly condition: string | null;
}

/** Items by id. A raw id that several items of a benchmark have names none of them. */
export async function readItems(rows: Rows, file: string): Promise<Map<string, Item>> {
  const items = new Map<string, Item & { readonly raw: string }>();
  await eachRow(rows, file, "item_id", items, (fields, id) => {
    const raw = nameText(fields.raw_item_id) ?? id;
    const [benchmark, condition] = [filledText(fields.benchmark_id), filledText(fields.test_condition)];
    return { raw, document: documentId(raw), benchmark, condition };
  });
  const keyOf = ({ raw, benchmark, condition }: Item & { readonly raw: string }): string =>
    JSON.stringify([raw.normalize("NFC"), benchmark, condition]);
  const same = groupBy(items.values(), keyOf);
  for (const [id, item] of items) if (same.get(keyOf(item))!.length > 1) items.set(id, { ...item, document: id });
  return items;
}

/** Version and scale of a benchmark. */
export interface Benchmark extends TaskResults {
  /** The response that stands for none; null where the scale has no such one. */
  readonly none: number | null;
}

/** Benchmarks by id. */
export async function readBenchmarks(rows: Rows, file: string): Promise<Map<string, Benchmark>> {
  const benchmarks = new Map<string, Benchmark>();
  await eachRow(rows, file, "benchmark_id", benchmarks, (fields) => {
    const scale = scaleOf(fields.response_scale);
    const none = numberOf(scale.none);
    const values = list(scale.values).map(numberOf).filter((value) => value !== null).filter((value) => value !== none); // prettier-ignore
    const isLower = scale.direction === "lower_is_better" || fields.response_type === "error_presence";
    const bounds = values.length > 1 ? ([Math.min(...values), Math.max(...values)] as const) : null;
    return {
      ...UNTOLD_TASK,
      version: versionText(fields.version),
      higherIsBetter: new Map(isLower ? [[RESPONSE, false]] : []),
      ...(bounds && { bounds: new Map([[RESPONSE, bounds]]) }),
      none,
    };
  });
  return benchmarks;
}

/** The scale of responses: JSON in a text, or a set or a range in words, such as `{-1, 1, 2, ..., 5} (-1 = N/A)`. */
function scaleOf(value: unknown): Fields {
  try {
    return record(typeof value === "string" ? (JSON.parse(value) as unknown) : value);
  } catch {
    const [, set = ""] = /^[{[]([^}\]]*)[}\]]/.exec(String(value)) ?? [];
    const [, none] = /\((-?[\d.]+) = N\/A\)/.exec(String(value)) ?? [];
    const values = set.split(",").map((part) => decimalNumber(part.trim())).filter((part) => !Number.isNaN(part)); // prettier-ignore
    return { values, ...(none !== undefined && { none: Number(none) }) };
  }
}

/** Puts each row into a table by its id. @param make - the entry, or words on what is wrong with the row */
async function eachRow<T>(
  rows: Rows,
  file: string,
  column: "subject_id" | "item_id" | "benchmark_id",
  table: Map<string, T>,
  make: (fields: Fields, id: string) => T | string,
): Promise<void> {
  const issues = new DataIssues(file);
  let row = 0;
  for await (const fields of rows) {
    row++;
    const id = filledText(lookUp(fields, column));
    const entry = id === null ? `${column} must be text` : make(fields, id);
    if (id === null || typeof entry === "string") issues.add({ row }, "wrong_type", String(entry));
    else if (table.has(id)) issues.add({ row }, "duplicate", `${column} ${id} is there twice`);
    else table.set(id, entry);
  }
  issues.refuse();
}

/** Tables that responses name their parts in, by id. */
export interface Registry {
  readonly subjects: ReadonlyMap<string, Subject>;
  readonly items: ReadonlyMap<string, Item>;
  readonly benchmarks: ReadonlyMap<string, Benchmark>;
}

/** A run's responses, in columns. */
export interface Responses {
  readonly subject: string;
  readonly benchmark: string;
  /** `BENCHMARK`, or `BENCHMARK@CONDITION` where the test was made under a condition that has a name. */
  readonly task: string;
  readonly rows: number[];
  readonly documents: (number | string)[];
  readonly trials: number[];
  readonly values: unknown[];
}

/**
 * The runs of a table of responses: of each subject on each benchmark, under each condition.
 * @param fallback - the benchmark, where neither responses nor items name it
 * @throws AnchorEvalError `invalid_data` naming file and row: for an item or a subject that the registry lacks, a trial without
 * number
 */
export async function readResponses(
  rows: Rows,
  { subjects, items, benchmarks }: Registry,
  { file, fallback }: { readonly file: string; readonly fallback: string },
): Promise<Responses[]> {
  const issues = new DataIssues(file);
  const runs = new Map<string, Responses>();
  let row = 0;
  for await (const { subject_id, item_id, trial, response, benchmark_id, test_condition } of rows) {
    row++;
    const [subject, item] = [filledText(subject_id), items.get(filledText(item_id) ?? "")];
    if (subject === null || !subjects.has(subject))
      issues.add({ row }, "unknown_subject", `subjects have no subject_id ${String(subject_id)}`);
    else if (item === undefined) issues.add({ row }, "unknown_item", `items have no item_id ${String(item_id)}`);
    else if (typeof trial !== "number" || !Number.isInteger(trial))
      issues.add({ row }, "wrong_type", `trial must be a whole number, got ${jsonKind(trial)}`);
    else {
      const benchmark = filledText(benchmark_id) ?? item.benchmark ?? fallback;
      const condition = filledText(test_condition) ?? item.condition;
      const task = condition === null ? benchmark : `${benchmark}@${condition}`;
      const key = JSON.stringify([subject, task]);
      const run = runs.get(key) ?? { subject, benchmark, task, rows: [], documents: [], trials: [], values: [] };
      runs.set(key, run);
      run.rows.push(row);
      run.documents.push(item.document);
      run.trials.push(trial);
      run.values.push(response === benchmarks.get(benchmark)?.none ? null : response);
    }
  }
  issues.refuse();
  return [...runs.values()];
}

/**
 * The samples of a run: an item's trials are its attempts, and one without a response has no score.
 * @throws AnchorEvalError `invalid_option` for another metric than `response`; `unsupported` for a scale that isn't that of
 * shares, or of which lower is better, without a range that says so; `invalid_data` for trials that are there twice
 */
export function responseSamples(run: Responses, options: SampleOptions): RunSamples {
  if (run.rows.length === 0) return emptyRun(options.task);
  const metric = chooseMetric(new Map([[RESPONSE, null]]), options);
  const rows = run.rows.map((row, k): LoggedRow => {
    const values = new Map([[RESPONSE, metricValue(run.values[k])]]);
    return { row, id: run.documents[k]!, attempt: run.trials[k]!, hash: null, text: null, values, failure: null };
  });
  const issues = new DataIssues(options.file);
  return scoreRows(rows, { metric, filter: "none", issues, noun: "trial", item: "item" }, options);
}

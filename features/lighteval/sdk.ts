import { sha256Text, type ItemContent } from "../../sdk/core/bundle/digest.ts";
import { isObject } from "../../sdk/tables/json-records.ts";
import {
  type Fields,
  filledText,
  list,
  numberOf,
  numbersOf,
  record,
  settingsText,
  textOf,
  versionText,
} from "../../sdk/logs/json.ts";
import {
  revisedName,
  UNTOLD_RUN,
  UNTOLD_TASK,
  type GroupResults,
  type RunResults,
  type TaskResults,
  type RunSamples,
} from "../../sdk/logs/run-log.ts";
import {
  invalidLog,
  contentFields,
  emptyRun,
  metricValue,
  type SampleOptions,
  documentId,
  type LoggedRow,
  scoreRows,
} from "../../sdk/logs/score-rows.ts";
import { lookUp } from "../../sdk/core/bundle/names.ts";
import { DataIssues } from "../../sdk/tables/data-issues.ts";
import { attemptFailure } from "../../sdk/logs/attempts.ts";
import { chooseMetric, metricReasons } from "../../sdk/logs/choices.ts";

/** lighteval's name for the mean over the tasks of a group: `mmlu:_average|5`. */
const AVERAGE = /^(.+):_average\|(\d+)$/;

/** Fields of a model's settings that make no other model of it. */
const NO_ARGUMENTS = ["generation_parameters", "system_prompt", "cache_dir"];

/**
 * Reads a results file of lighteval, `results_<date>.json`.
 * @param shots - the few-shot examples of the tasks meant: a file may have one task with several
 */
export function readLightevalResults(value: unknown, file: string, shots: number): RunResults {
  const root = record(value);
  if (!("config_general" in root) || !("config_tasks" in root) || !("results" in root))
    throw invalidLog(file, "this is no results file of lighteval: it has no config_general, config_tasks and results");
  const general = record(root.config_general);
  const model = record(general.model_config);
  const results = record(root.results);
  const names = Object.keys(record(root.config_tasks)).filter((name) => name.endsWith(`|${shots}`));
  const prompt = textOf(model.system_prompt);
  const tasks = new Map(
    names.map((name) => [
      taskOf(name),
      readTask(record(lookUp(record(root.config_tasks), name)), record(lookUp(results, name)), shots),
    ]),
  );
  return {
    ...UNTOLD_RUN,
    model: revisedName(filledText(general.model_name) ?? filledText(model.model_name), filledText(model.revision)),
    modelArguments: settingsText(model, NO_ARGUMENTS),
    harnessVersion: filledText(general.lighteval_sha) === "?" ? null : filledText(general.lighteval_sha),
    chatTemplate: typeof model.override_chat_template === "boolean" ? model.override_chat_template : null,
    systemInstruction: "system_prompt" in model ? (prompt === null ? "none" : sha256Text(prompt).slice(0, 16)) : null,
    generation: settingsText(model.generation_parameters, ["seed"]),
    tasks,
    groups: readGroups(results, [...tasks.keys()], shots),
  };
}

function readTask(config: Fields, results: Fields, shots: number): TaskResults {
  const [aggregations, higherIsBetter] = [new Map<string, string>(), new Map<string, boolean>()];
  for (const metric of list(config.metrics).map(record)) {
    const names = [metric.metric_name].flat().filter((name) => typeof name === "string");
    const of = (field: unknown, name: string): unknown => (isObject(field) ? lookUp(field, name) : field);
    for (const name of names) {
      const [aggregation, higher] = [of(metric.corpus_level_fn, name), of(metric.higher_is_better, name)];
      if (typeof aggregation === "string") aggregations.set(name, aggregation);
      if (typeof higher === "boolean") higherIsBetter.set(name, higher);
    }
  }
  const [all, run] = [numberOf(config.original_num_docs), numberOf(config.effective_num_docs)];
  return {
    ...UNTOLD_TASK,
    version: versionText(config.version),
    shots,
    aggregates: readAggregates(results),
    aggregations,
    higherIsBetter,
    // −1 where lighteval didn't count them.
    documents: all !== null && run !== null && run > 0 ? { all, run } : null,
  };
}

/** `mmlu` of `mmlu:anatomy` and its like, which lighteval averages, each task counting the same. */
function readGroups(results: Fields, tasks: readonly string[], shots: number): Map<string, GroupResults> {
  const groups = new Map<string, GroupResults>();
  for (const [key, metrics] of Object.entries(results)) {
    const [, name, examples] = AVERAGE.exec(key) ?? [];
    if (name === undefined || Number(examples) !== shots) continue;
    groups.set(name, {
      children: tasks.filter((task) => task.split(":")[0] === name),
      aggregates: readAggregates(record(metrics)),
      weighting: "subscenarios",
    });
  }
  return groups;
}

/** By `metric,none`: lighteval has no filters. */
function readAggregates(metrics: Fields): Map<string, number> {
  const scores = [...numbersOf(metrics)].filter(([name]) => !name.endsWith("_stderr"));
  return new Map(scores.map(([name, value]) => [`${name},none`, value]));
}

function taskOf(name: string): string {
  return name.slice(0, name.lastIndexOf("|"));
}

/** `details_<task>|<shots>_<date>.parquet`. */
const DETAILS = /^details_(.+)[|](\d+)_(\d{4}-\d\d-\d\dT.+)\.parquet$/i;
const RESULTS = /^results_(\d{4}-\d\d-\d\dT.+)\.json$/;

type LightevalFileName =
  | { readonly kind: "details"; readonly task: string; readonly shots: number; readonly date: string }
  | { readonly kind: "results"; readonly date: string };

/**
 * @example lightevalFileName("details_mmlu:anatomy|5_2026-01-31T10-20-30.123456.parquet")
 * // { kind: "details", task: "mmlu:anatomy", shots: 5, date: "2026-01-31T10-20-30.123456" }
 */
export function lightevalFileName(name: string): LightevalFileName | null {
  const details = DETAILS.exec(name);
  if (details) return { kind: "details", task: details[1]!, shots: Number(details[2]), date: details[3]! };
  const results = RESULTS.exec(name);
  return results ? { kind: "results", date: results[1]! } : null;
}

/** The columns that are read of `details_<task>|<shots>_<date>.parquet`. */
export const DETAILS_COLUMNS = ["doc", "metric", "model_response"] as const;

/**
 * The samples of one task's details of lighteval.
 * @param details - their columns, structs as objects
 * @throws AnchorEvalError `invalid_data` naming file, row and rule; `invalid_option` with a list where the log has several
 * metrics and none was chosen, or not the one that was; `unsupported` for a metric that is no mean of scores of documents
 */
export async function readLightevalDetails(
  details: AsyncIterable<Fields> | Iterable<Fields>,
  options: SampleOptions,
): Promise<RunSamples> {
  const { file, results } = options;
  const issues = new DataIssues(file, { row: "row" });
  const rows: LoggedRow[] = [];
  for await (const row of details) {
    const doc = record(row.doc);
    const number = rows.length + 1;
    const { id } = doc;
    const response = record(row.model_response);
    if (typeof id !== "string" || typeof doc.query !== "string")
      issues.add({ row: number, column: "doc" }, "missing", "a row has doc.id and doc.query");
    rows.push({
      ...{ row: number, id: documentId(String(id)) },
      values: new Map(Object.entries(record(row.metric)).map(([name, value]) => [name, metricValue(value)])),
      // Of choices that are scored by their probabilities there is no text.
      failure: list(response.logprobs).length > 0 ? null : attemptFailure(response.text),
      cost: { tokens: tokensOf(response) },
      ...contentFields(documentContent(doc)),
    });
  }
  issues.refuse();
  if (rows.length === 0) return emptyRun(options.task);
  const reasons = metricReasons(rows, (name) => corpusReason(results?.aggregations.get(name)));
  const metric = chooseMetric(reasons, options);
  const duplicate = "lighteval numbers the documents of each evaluation split anew, so a task can have one split";
  return scoreRows(rows, { metric, filter: "none", issues, item: "document", duplicate }, options);
}

/** Query, choices where there are several, and the right ones; no instruction, no examples. */
function documentContent({ query, choices, gold_index: gold }: Fields): ItemContent | null {
  if (typeof query !== "string") return null;
  const listed = Array.isArray(choices) ? choices.map(String) : [];
  const right = [gold].flat().flatMap((index) => listed[Number(index)] ?? []);
  return { input: query, ...(listed.length > 1 && { choices: listed }), target: right };
}

/** Why a metric is no mean over documents, by the aggregation that the task's configuration names. */
function corpusReason(aggregation: string | undefined): string | null {
  if (aggregation === undefined || aggregation === "mean") return null;
  return aggregation === "max" || aggregation === "min"
    ? `is the ${aggregation} over the documents, not their mean`
    : `is computed from the outputs on all documents together (${aggregation})`;
}

/** Tokens asked and answered, of every choice where each was asked; null where the model's class logs none, as of most APIs. */
function tokensOf({ input_tokens: asked, output_tokens: answered }: Fields): number | null {
  const [input, output] = [list(asked).flat(2), list(answered).flat(2)];
  const areCounted = input.length > 0 && output.length > 0;
  return areCounted && [...input, ...output].every((token) => typeof token === "number")
    ? input.length + output.length
    : null;
}

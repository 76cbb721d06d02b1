import {
  type Fields,
  filledLines,
  filledText,
  list,
  numberOf,
  parseLine,
  record,
  settingsText,
  sortableDate,
  textsOf,
} from "../../sdk/logs/json.ts";
import {
  groupBy,
  UNTOLD_RUN,
  UNTOLD_TASK,
  type RunResults,
  type TaskResults,
  type LoggedSample,
  type RunSamples,
} from "../../sdk/logs/run-log.ts";
import type { LineBatch } from "../../sdk/tables/chunk-lines.ts";
import { SHA256 } from "../../sdk/core/bundle/names.ts";
import { DataIssues } from "../../sdk/tables/data-issues.ts";
import { attemptFailure } from "../../sdk/logs/attempts.ts";
import { chooseMetric, type MetricValue } from "../../sdk/logs/choices.ts";
import { type LoggedCost, totalOf } from "../../sdk/logs/cost.ts";
import {
  documentId,
  type LoggedRow,
  scoreRows,
  contentFields,
  metricValue,
  type SampleOptions,
} from "../../sdk/logs/score-rows.ts";

/** A run as an aggregate file of Every Eval Ever tells it. */
export interface EeeAggregate {
  /** Sorts as text. Empty where the file has none. */
  readonly date: string;
  readonly results: RunResults;
  /** Names of the metrics by `evaluation_result_id`. */
  readonly metrics: ReadonlyMap<string, string>;
}

/**
 * Reads an aggregate file of Every Eval Ever (schema 0.2 and 0.3): model, library, and every task's metrics with their
 * scores.
 */
export function readEeeAggregate(value: unknown): EeeAggregate | null {
  const root = record(value);
  if (filledText(root.evaluation_id) === null || !Array.isArray(root.evaluation_results)) return null;
  const library = record(root.eval_library);
  const model = record(root.model_info);
  const results = list(root.evaluation_results).map(record).flatMap(readResult);
  const named = groupBy(results, ({ task, metric }) => JSON.stringify([task, metric]));
  // Results of one name, such as of two ways to read an answer, are no trials of one: they are called by their ids.
  const nameOf = ({ task, metric, id }: Result): string =>
    id !== null && named.get(JSON.stringify([task, metric]))!.some((other) => other.id !== id) ? id : metric;
  const tasks = [...groupBy(results, ({ task }) => task)].map(([task, ofTask]): [string, TaskResults] => [
    task,
    {
      ...UNTOLD_TASK,
      aggregates: new Map(
        ofTask.flatMap((result) => (result.score === null ? [] : [[`${nameOf(result)},none`, result.score]])),
      ),
      bounds: new Map(ofTask.flatMap((result) => (result.bounds === null ? [] : [[nameOf(result), result.bounds]]))),
      higherIsBetter: new Map(
        ofTask.flatMap((result) => (result.lower === null ? [] : [[nameOf(result), !result.lower]])),
      ),
    },
  ]);
  const settings = new Set(results.flatMap((result) => result.settings ?? []));
  const name = filledText(library.name);
  const version = filledText(library.version);
  return {
    date: sortableDate(root.evaluation_timestamp) || sortableDate(root.retrieved_timestamp),
    metrics: new Map(results.flatMap((result) => (result.id === null ? [] : [[result.id, nameOf(result)]]))),
    results: {
      ...UNTOLD_RUN,
      model: filledText(model.id),
      modelArguments: filledText(record(model.additional_details).model_args),
      modelFacts: modelFacts(model),
      harnessVersion:
        name === null ? null : [name, ...(version === null || version === "unknown" ? [] : [version])].join(" "),
      generation: settings.size === 0 ? null : [...settings].sort().join(" or "),
      tasks: new Map(tasks),
    },
  };
}

/** A metric's result on a task. */
interface Result {
  readonly task: string;
  readonly id: string | null;
  readonly metric: string;
  readonly score: number | null;
  readonly lower: boolean | null;
  readonly bounds: readonly [low: number, high: number] | null;
  /** How answers were generated. */
  readonly settings: string | null;
}

function readResult(result: Fields): Result[] {
  const task = filledText(result.evaluation_name);
  if (task === null) return [];
  const config = record(result.metric_config);
  const { lower_is_better: lower, min_score: low, max_score: high } = config;
  return [
    {
      task,
      id: filledText(result.evaluation_result_id),
      metric: filledText(config.metric_name) ?? filledText(config.metric_id) ?? "score",
      score: numberOf(record(result.score_details).score),
      lower: typeof lower === "boolean" ? lower : null,
      bounds: typeof low === "number" && typeof high === "number" && low < high ? [low, high] : null,
      settings: settingsText(record(result.generation_config).generation_args, ["execution_command"]),
    },
  ];
}

/** How and by what a model was run, by name: the engine, the platform, and details such as its quantization. */
function modelFacts(model: Fields): ReadonlyMap<string, string> {
  const { additional_details: details, inference_engine: engine, inference_platform: platform } = model;
  const others = [...textsOf(details)].filter(([field]) => field !== "model_args");
  const named = textsOf({ inference_engine: record(engine).name ?? engine, inference_platform: platform });
  return new Map([...others, ...named]);
}

/** One line of an instance-level file: a sample under one metric. */
export interface EeeLine {
  readonly row: number;
  readonly model: string;
  readonly task: string;
  readonly sample: string;
  /** `evaluation_result_id`; null where the line has none. */
  readonly result: string | null;
  readonly score: MetricValue;
  /** Why no answer came back. */
  readonly failure: string | null;
  readonly fields: Fields;
}

/**
 * The lines of an instance-level file of Every Eval Ever (JSON lines of schema 0.2 and 0.3).
 * @throws AnchorEvalError `invalid_data` naming file, line and field
 */
export async function* eeeLines(
  file: string,
  batches: AsyncIterable<LineBatch>,
): AsyncGenerator<EeeLine, void, undefined> {
  const issues = new DataIssues(file, { row: "line" });
  for await (const { row, text } of filledLines(batches)) {
    const line = eeeLine(text, row, issues);
    if (line) yield line;
  }
  issues.refuse();
}

function eeeLine(text: string, row: number, issues: DataIssues): EeeLine | null {
  const fields = parseLine(text, row, issues);
  if (fields === null) return null;
  const { model_id: model, evaluation_name: task, sample_id: sample } = fields;
  for (const [field, value] of Object.entries({ model_id: model, evaluation_name: task, sample_id: sample }))
    if (filledText(value) === null) {
      issues.add({ row, column: field }, "wrong_type", `${field} must be text`);
      return null;
    }
  const evaluation = record(fields.evaluation);
  const score = metricValue(evaluation.score);
  if (score === undefined || evaluation.score === undefined) {
    issues.add({ row, column: "evaluation" }, "wrong_type", "evaluation.score must be a number");
    return null;
  }
  return {
    row,
    model: model as string,
    task: task as string,
    sample: sample as string,
    result: filledText(fields.evaluation_result_id),
    score,
    failure: attemptFailure(record(fields.output).raw, fields.error),
    fields,
  };
}

/**
 * The samples of one task of an instance-level file; lines of one sample under the metric are its attempts.
 * @param metrics - names of the metrics by `evaluation_result_id`; others are named by that id, and lines without one `score`
 * @throws AnchorEvalError `invalid_option` with a list where there are several metrics and none was chosen; `unsupported`
 * for one of which lower is better, without a range that says so; `invalid_data` for a score outside the scale
 */
export async function readEeeSamples(
  lines: AsyncIterable<EeeLine>,
  metrics: ReadonlyMap<string, string>,
  options: SampleOptions,
): Promise<RunSamples> {
  const { file, task, metric: asked } = options;
  const all: EeeLine[] = [];
  for await (const line of lines) all.push(line);
  const byMetric = groupBy(all, ({ result }) => (result === null ? "score" : (metrics.get(result) ?? result)));
  const reasons = new Map(Array.from(byMetric.keys(), (name) => [name, null]));
  const metric = chooseMetric(reasons, { file, task, metric: asked });
  const rows = byMetric.get(metric)!.map((line): LoggedRow => {
    const { row, sample, score, failure } = line;
    const values = new Map([[metric, score]]);
    return { row, id: documentId(sample), attempt: row, values, failure, cost: costOf(line), ...contentOf(line) };
  });
  const issues = new DataIssues(file, { row: "line" });
  return scoreRows(rows, { metric, filter: "none", issues, noun: "run" }, options);
}

function costOf({ fields }: EeeLine): LoggedCost {
  const { total_tokens: total, input_tokens: input, output_tokens: output } = record(fields.token_usage);
  const { latency_ms: latency, generation_time_ms: generation } = record(fields.performance);
  const time = numberOf(latency) ?? numberOf(generation);
  return { tokens: numberOf(total) ?? totalOf(input, output), seconds: time === null ? null : time / 1000 };
}

/** By input, choices and reference; where the input is left out, by `sample_hash`. */
function contentOf({ fields }: EeeLine): Pick<LoggedSample, "hash" | "text"> {
  const { raw, reference, choices } = record(fields.input);
  const hash = filledText(fields.sample_hash);
  if (filledText(raw) === null) return { hash: hash !== null && SHA256.test(hash) ? hash : null, text: null };
  const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  const targets = texts(reference);
  return contentFields({
    input: raw as string,
    ...(texts(choices).length > 0 && { choices: texts(choices) }),
    target: targets.length === 1 ? targets[0]! : targets,
  });
}

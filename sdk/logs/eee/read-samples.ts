import type { LineBatch } from "../../tables/chunk-lines.ts";
import { SHA256 } from "../../core/bundle/names.ts";
import { DataIssues } from "../../tables/data-issues.ts";
import { attemptFailure } from "../attempts.ts";
import { chooseMetric, type MetricValue } from "../choices.ts";
import { type LoggedCost, totalOf } from "../cost.ts";
import { filledText, numberOf, parseLine, record } from "../json.ts";
import type { LoggedSample, RunSamples } from "../run-log.ts";
import { documentId, type LoggedRow, scoreRows } from "../score-rows.ts";
import { contentFields, metricValue, type SampleOptions } from "../scores.ts";

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
  readonly fields: Readonly<Record<string, unknown>>;
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
  for await (const { first, lines } of batches)
    for (const [index, text] of lines.entries()) {
      if (text.trim() === "") continue;
      const line = eeeLine(text, first + index, issues);
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
 * @param lines - those of the task
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
  const byMetric = new Map<string, EeeLine[]>();
  for await (const line of lines) {
    const name = line.result === null ? "score" : (metrics.get(line.result) ?? line.result);
    const same = byMetric.get(name);
    if (same) same.push(line);
    else byMetric.set(name, [line]);
  }
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

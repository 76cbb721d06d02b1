import { contentHash, type ItemContent } from "../../core/bundle/content-hash.ts";
import { AnchorEvalError, type Issue } from "../../core/errors.ts";
import { chooseMetric, type MetricValues } from "../choices.ts";
import type { LoggedSample, RunSamples, TaskResults } from "../run-log.ts";
import { scoreScale, type ScaleOptions } from "../../tables/score-reader.ts";
import { record } from "../json.ts";

/** The columns that are read of `details_<task>|<shots>_<date>.parquet`. */
export const DETAILS_COLUMNS = ["doc", "metric", "model_response"] as const;

/** How details of lighteval are read. */
export interface DetailsOptions extends ScaleOptions {
  /** Names the file in messages. */
  readonly file: string;
  readonly task: string;
  /** The metric that is the score; needed where the log has several. */
  readonly metric?: string | undefined;
  /** What the run's results file says about this task. */
  readonly results?: TaskResults | undefined;
}

interface Detail {
  readonly id: string;
  readonly values: MetricValues;
  readonly errored: boolean;
  readonly hash: string | null;
  readonly text: string | null;
}

const MOST_ISSUES = 20;

/**
 * Takes the rows of one task's details of lighteval, one after another.
 * @throws AnchorEvalError `invalid_data` naming file, row and rule; `invalid_option` with a list where the log has several
 * metrics and none was chosen, or not the one that was; `unsupported` for a metric that is no mean of scores of documents
 */
export class LightevalDetailsReader {
  readonly #options: DetailsOptions;
  readonly #details: Detail[] = [];
  readonly #issues: Issue[] = [];

  constructor(options: DetailsOptions) {
    this.#options = options;
  }

  /** @param row - a row's columns, structs as objects */
  add(row: Readonly<Record<string, unknown>>): void {
    const doc = record(row.doc);
    const metrics = record(row.metric);
    const { id } = doc;
    if (typeof id !== "string" || typeof doc.query !== "string")
      this.#note(this.#details.length + 1, "missing", "a row has doc.id and doc.query", "doc");
    const content = documentContent(doc);
    this.#details.push({
      id: String(id),
      values: new Map(Object.entries(metrics).map(([name, value]) => [name, metricValue(value)])),
      errored: isErrored(record(row.model_response)),
      hash: content && contentHash(content),
      text: content && [content.input, ...(content.choices ?? [])].join("\n"),
    });
  }

  finish(): RunSamples {
    this.#refuse();
    const { file, task, results, flip } = this.#options;
    if (this.#details.length === 0) throw new AnchorEvalError("invalid_data", `${file}: the log has no rows`);
    const metric = chooseMetric(this.#details, {
      file,
      task,
      metric: this.#options.metric,
      corpusReason: (name) => corpusReason(results?.aggregations.get(name)),
    });
    if (results?.higherIsBetter.get(metric) === false && flip !== true)
      throw new AnchorEvalError(
        "unsupported",
        `${file}: lower is better for ${metric}: give --flip, and its bounds with --score-range`,
      );
    return {
      task,
      metric,
      filter: "none",
      samples: this.#samples(metric),
      remarks: [],
      metrics: [...new Set(this.#details.flatMap(({ values }) => [...values.keys()]))],
      filters: ["none"],
    };
  }

  #samples(metric: string): LoggedSample[] {
    const { task } = this.#options;
    const scale = scoreScale(this.#options);
    const first = new Map<string, number>();
    const samples = this.#details.map(({ id, values, errored, hash, text }, index): LoggedSample => {
      const row = index + 1;
      const before = first.get(id);
      if (before !== undefined)
        this.#note(
          row,
          "duplicate",
          `document ${id} is there twice, first in row ${before}: lighteval numbers the documents of each evaluation split anew, so a task can have one`,
          "doc",
        );
      first.set(id, row);
      const value = values.get(metric) ?? null;
      const score = value === null ? null : scale(value) + 0; // -0 becomes 0
      if (score !== null && !(score >= 0 && score <= 1))
        this.#note(
          row,
          "out_of_range",
          `${metric} is ${value}: for scores that are not in [0,1] give --score-range lo,hi`,
          metric,
        );
      return {
        task,
        doc_id: /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id,
        state: errored ? "errored" : score === null ? "unscored" : "scored",
        score,
        hash,
        text,
      };
    });
    this.#refuse();
    return samples;
  }

  #note(row: number, code: string, message: string, field: string): void {
    this.#issues.push({ path: [this.#options.file, row, field], code, message });
    if (this.#issues.length >= MOST_ISSUES) this.#refuse();
  }

  #refuse(): void {
    const [first] = this.#issues;
    if (!first) return;
    const more = this.#issues.length > 1 ? ` (and ${this.#issues.length - 1} more)` : "";
    throw new AnchorEvalError("invalid_data", `${this.#options.file}: row ${first.path[1]!}: ${first.message}${more}`, {
      issues: this.#issues,
    });
  }
}

/** Query, choices where there are several, and the right ones; no instruction, no examples. */
function documentContent({ query, choices, gold_index: gold }: Record<string, unknown>): ItemContent | null {
  if (typeof query !== "string") return null;
  const listed = Array.isArray(choices) ? choices.map(String) : [];
  const right = [gold].flat().flatMap((index) => listed[Number(index)] ?? []);
  return { input: query, ...(listed.length > 1 && { choices: listed }), target: right };
}

/** Nested values, such as the outputs that a metric of the whole corpus is computed from, are no score. */
function metricValue(value: unknown): number | null | undefined {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return Number(value);
  return value === null || value === undefined ? null : undefined;
}

/** Why a metric is no mean over documents, by the aggregation that the task's configuration names. */
function corpusReason(aggregation: string | undefined): string | null {
  if (aggregation === undefined || aggregation === "mean") return null;
  return aggregation === "max" || aggregation === "min"
    ? `is the ${aggregation} over the documents, not their mean`
    : `is computed from the outputs on all documents together (${aggregation})`;
}

/** lighteval logs an empty text for a request that failed or was refused. */
function isErrored({ text, logprobs }: Record<string, unknown>): boolean {
  const scored = Array.isArray(logprobs) && logprobs.length > 0;
  return !scored && Array.isArray(text) && text.length > 0 && text.every((own) => own === null || own === "");
}

import type { ItemContent } from "../../core/bundle/digest.ts";
import { chooseMetric, metricReasons } from "../choices.ts";
import { record } from "../json.ts";
import type { RunSamples } from "../run-log.ts";
import {
  contentFields,
  invalidLog,
  type LoggedDocument,
  metricValue,
  RowIssues,
  type SampleOptions,
  scoreDocuments,
} from "../scores.ts";

/** The columns that are read of `details_<task>|<shots>_<date>.parquet`. */
export const DETAILS_COLUMNS = ["doc", "metric", "model_response"] as const;

/**
 * Takes the rows of one task's details of lighteval, one after another.
 * @throws AnchorEvalError `invalid_data` naming file, row and rule; `invalid_option` with a list where the log has several
 * metrics and none was chosen, or not the one that was; `unsupported` for a metric that is no mean of scores of documents
 */
export class LightevalDetailsReader {
  readonly #options: SampleOptions;
  readonly #details: LoggedDocument[] = [];
  readonly #issues: RowIssues;

  constructor(options: SampleOptions) {
    this.#options = options;
    this.#issues = new RowIssues(options.file, "row");
  }

  /** @param row - a row's columns, structs as objects */
  add(row: Readonly<Record<string, unknown>>): void {
    const doc = record(row.doc);
    const number = this.#details.length + 1;
    const { id } = doc;
    if (typeof id !== "string" || typeof doc.query !== "string")
      this.#issues.add(number, "missing", "a row has doc.id and doc.query", "doc");
    this.#details.push({
      row: number,
      id: /^(0|[1-9]\d{0,14})$/.test(String(id)) ? Number(id) : String(id),
      values: new Map(Object.entries(record(row.metric)).map(([name, value]) => [name, metricValue(value)])),
      errored: isErrored(record(row.model_response)),
      ...contentFields(documentContent(doc)),
    });
  }

  finish(): RunSamples {
    this.#issues.refuse();
    const { file, task, results } = this.#options;
    if (this.#details.length === 0) throw invalidLog(file, "the log has no rows");
    const reasons = metricReasons(this.#details, (name) => corpusReason(results?.aggregations.get(name)));
    const metric = chooseMetric(reasons, this.#options);
    return {
      task,
      metric,
      filter: "none",
      samples: scoreDocuments(this.#details, metric, this.#options, this.#issues, {
        field: "doc",
        message: (id, first) =>
          `document ${id} is there twice, first in row ${first}: lighteval numbers the documents of each evaluation split anew, so a task can have one`,
      }),
      remarks: [],
    };
  }
}

/** Query, choices where there are several, and the right ones; no instruction, no examples. */
function documentContent({ query, choices, gold_index: gold }: Record<string, unknown>): ItemContent | null {
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

/** lighteval logs an empty text for a request that failed or was refused. */
function isErrored({ text, logprobs }: Record<string, unknown>): boolean {
  const scored = Array.isArray(logprobs) && logprobs.length > 0;
  return !scored && Array.isArray(text) && text.length > 0 && text.every((own) => own === null || own === "");
}

import type { ItemContent } from "../../core/bundle/digest.ts";
import { DataIssues } from "../../tables/data-issues.ts";
import { attemptFailure } from "../attempts.ts";
import { chooseMetric, metricReasons } from "../choices.ts";
import { list, record } from "../json.ts";
import type { RunSamples } from "../run-log.ts";
import { documentId, type LoggedRow, scoreRows } from "../score-rows.ts";
import { contentFields, emptyRun, metricValue, type SampleOptions } from "../scores.ts";

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

type Fields = Readonly<Record<string, unknown>>;

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

/** Tokens asked and answered, of every choice where each was asked; null where the model's class logs none, as of most APIs. */
function tokensOf({ input_tokens: asked, output_tokens: answered }: Record<string, unknown>): number | null {
  const [input, output] = [list(asked).flat(2), list(answered).flat(2)];
  const areCounted = input.length > 0 && output.length > 0;
  return areCounted && [...input, ...output].every((token) => typeof token === "number")
    ? input.length + output.length
    : null;
}

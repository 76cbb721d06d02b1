import { sortableDate } from "../dates.ts";
import { filledText, list, numberOf, record } from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunResults } from "../run-log.ts";

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
 * @returns null for JSON that is none
 */
export function readEeeAggregate(value: unknown): EeeAggregate | null {
  const root = record(value);
  if (filledText(root.evaluation_id) === null || !Array.isArray(root.evaluation_results)) return null;
  const library = record(root.eval_library);
  const model = record(root.model_info);
  const tasks = new Map<string, { aggregates: Map<string, number>; higher: Map<string, boolean> }>();
  const metrics = new Map<string, string>();
  for (const result of list(root.evaluation_results).map(record)) {
    const task = filledText(result.evaluation_name);
    if (task === null) continue;
    const own = tasks.get(task) ?? { aggregates: new Map<string, number>(), higher: new Map<string, boolean>() };
    const config = record(result.metric_config);
    const metric = metricName(config);
    const id = filledText(result.evaluation_result_id);
    if (id !== null) metrics.set(id, metric);
    const score = numberOf(record(result.score_details).score);
    if (score !== null) own.aggregates.set(`${metric},none`, score);
    if (typeof config.lower_is_better === "boolean") own.higher.set(metric, !config.lower_is_better);
    tasks.set(task, own);
  }
  const name = filledText(library.name);
  const version = filledText(library.version);
  return {
    date: sortableDate(filledText(root.evaluation_timestamp) ?? filledText(root.retrieved_timestamp)),
    metrics,
    results: {
      ...UNTOLD_RUN,
      model: filledText(model.id),
      harnessVersion:
        name === null ? null : [name, ...(version === null || version === "unknown" ? [] : [version])].join(" "),
      tasks: new Map(
        [...tasks].map(([task, { aggregates, higher }]) => [
          task,
          { ...UNTOLD_TASK, aggregates, higherIsBetter: higher },
        ]),
      ),
    },
  };
}

/** The name of a result's metric; `score` where it has none. */
function metricName(config: Readonly<Record<string, unknown>>): string {
  return filledText(config.metric_name) ?? filledText(config.metric_id) ?? "score";
}

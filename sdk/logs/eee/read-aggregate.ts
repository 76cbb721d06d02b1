import { sortableDate } from "../dates.ts";
import { filledText, list, numberOf, record, settingsText, textsOf } from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunResults, type TaskResults } from "../run-log.ts";

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
  const tasks = new Map<string, TaskResults>();
  const settings = new Set<string>();
  const metrics = new Map<string, string>();
  for (const result of list(root.evaluation_results).map(record)) {
    const task = filledText(result.evaluation_name);
    if (task === null) continue;
    const asked = settingsText(record(result.generation_config).generation_args, ["execution_command"]);
    if (asked !== null) settings.add(asked);
    const { aggregates = [], higherIsBetter = [] } = tasks.get(task) ?? {};
    const config = record(result.metric_config);
    const metric = filledText(config.metric_name) ?? filledText(config.metric_id) ?? "score";
    const id = filledText(result.evaluation_result_id);
    if (id !== null) metrics.set(id, metric);
    const score = numberOf(record(result.score_details).score);
    const { lower_is_better: lower } = config;
    tasks.set(task, {
      ...UNTOLD_TASK,
      aggregates: new Map([...aggregates, ...(score === null ? [] : [[`${metric},none`, score] as const])]),
      higherIsBetter: new Map([...higherIsBetter, ...(typeof lower === "boolean" ? [[metric, !lower] as const] : [])]),
    });
  }
  const name = filledText(library.name);
  const version = filledText(library.version);
  return {
    date: sortableDate(filledText(root.evaluation_timestamp) ?? filledText(root.retrieved_timestamp)),
    metrics,
    results: {
      ...UNTOLD_RUN,
      model: filledText(model.id),
      modelArguments: filledText(record(model.additional_details).model_args),
      modelFacts: modelFacts(model),
      harnessVersion:
        name === null ? null : [name, ...(version === null || version === "unknown" ? [] : [version])].join(" "),
      generation: settings.size === 0 ? null : [...settings].sort().join(" or "),
      tasks,
    },
  };
}

/** How and by what a model was run, by name: the engine, the platform, and details such as its quantization. */
function modelFacts({
  additional_details: details,
  inference_engine: engine,
  inference_platform: platform,
}: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const others = [...textsOf(details)].filter(([field]) => field !== "model_args");
  const named = textsOf({ inference_engine: record(engine).name ?? engine, inference_platform: platform });
  return new Map([...others, ...named]);
}

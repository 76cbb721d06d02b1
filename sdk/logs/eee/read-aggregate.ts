import { sortableDate } from "../dates.ts";
import { filledText, list, numberOf, record, settingsText, textsOf } from "../json.ts";
import { groupBy, UNTOLD_RUN, UNTOLD_TASK, type RunResults, type TaskResults } from "../run-log.ts";

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

function readResult({
  evaluation_name,
  evaluation_result_id,
  metric_config,
  generation_config,
  score_details,
}: Record<string, unknown>): Result[] {
  const task = filledText(evaluation_name);
  if (task === null) return [];
  const {
    metric_name: name,
    metric_id,
    lower_is_better: lower,
    min_score: low,
    max_score: high,
  } = record(metric_config);
  return [
    {
      task,
      id: filledText(evaluation_result_id),
      metric: filledText(name) ?? filledText(metric_id) ?? "score",
      score: numberOf(record(score_details).score),
      lower: typeof lower === "boolean" ? lower : null,
      bounds: typeof low === "number" && typeof high === "number" && low < high ? [low, high] : null,
      settings: settingsText(record(generation_config).generation_args, ["execution_command"]),
    },
  ];
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

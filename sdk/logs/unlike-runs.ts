import { isObject } from "../tables/json-records.ts";
import { canonicalJson } from "./json.ts";
import { groupBy, type RunLog } from "./run-log.ts";

/** Arguments that say where and how fast a model runs, not which model it is. */
const OF_MACHINES = new Set([
  ...["batch_size", "max_batch_size", "device", "devices", "device_map", "gpus", "num_gpus", "parallelize"],
  ...["tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "data_parallel", "model_parallel"],
  ...["gpu_memory_utilization", "max_memory_per_gpu", "max_cpu_memory", "swap_space", "enforce_eager"],
  ...["num_concurrent", "max_connections", "num_workers", "max_workers", "max_retries", "retry", "timeout"],
  ...["query_per_second", "base_url", "api_base", "host", "port", "api_key", "key", "verify_certificate"],
  ...["cache_dir", "download_dir", "offload_folder", "log_dir", "output_dir", "work_dir", "run_cfg"],
  ...["seed", "trust_remote_code", "timestamp", "run_id"],
]);

type Settings = ReadonlyMap<string, string>;

/**
 * In what the runs of one model on several tasks were made unlike: its arguments, and what the harness says of the model
 * (its checkpoint, its numbers' type, its engine). An argument that only one run has is a difference; a fact that only one has isn't.
 * Runs on one task are compared where one of them is chosen.
 * @example unlikeRuns(logs) // ["its runs were made with different arguments (load_in_4bit: none on quiz, True on math): …"]
 */
export function unlikeRuns(logs: readonly Pick<RunLog, "task" | "results">[]): string[] {
  const tasks = [...groupBy(logs, ({ task }) => task)];
  const withArguments = tasks.flatMap(([task, [log]]) => {
    const words = log!.results?.modelArguments ?? null;
    return words === null ? [] : [{ task, settings: argumentsOf(words) }];
  });
  const facts = logs.map(({ task, results }) => ({ task, settings: results?.modelFacts ?? new Map<string, string>() }));
  const differences = [...differencesIn(withArguments, "none"), ...differencesIn(facts, null)];
  if (differences.length === 0) return [];
  return [
    `its runs were made with different arguments (${differences.join("; ")}): if these are different models, import them apart, with \`modelName\``,
  ];
}

/** @param absent - the value of what a run doesn't have; null where nothing is known of it then */
function differencesIn(
  runs: readonly { readonly task: string; readonly settings: Settings }[],
  absent: string | null,
): string[] {
  const names = new Set(runs.flatMap(({ settings }) => [...settings.keys()]));
  return [...names].flatMap((name) => {
    if (OF_MACHINES.has(name)) return [];
    const valued = runs.flatMap(({ task, settings }) => {
      const value = settings.get(name) ?? absent;
      return value === null ? [] : [{ task, value }];
    });
    const values = groupBy(valued, ({ value }) => value.toLowerCase());
    if (values.size < 2) return [];
    const words = Array.from(values.values(), (same) => {
      const [first, ...more] = new Set(same.map(({ task }) => task));
      return `${same[0]!.value} on ${first!}${more.length > 0 ? ` and ${more.length} more` : ""}`;
    });
    return [`${name === "" ? "" : `${name}: `}${words.join(", ")}`];
  });
}

/** The arguments of a model by name: of a JSON object, or of text `a=1,b=2`; text of another kind has no name. */
function argumentsOf(text: string): Settings {
  const settings = new Map<string, string>();
  if (text === "") return settings;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // a text of arguments
  }
  if (isObject(value)) {
    for (const [name, setting] of Object.entries(value))
      if (setting !== null) settings.set(name, typeof setting === "string" ? setting : canonicalJson(setting));
    return settings;
  }
  // A comma may stand in a value: what has no name goes on with the last.
  for (const part of text.split(/,(?=\s*[\w.-]+=)/)) {
    const [, name = "", setting = ""] = /^\s*([\w.-]+)=(.*)$/s.exec(part) ?? ["", "", part];
    if (part !== "") settings.set(name, setting);
  }
  return settings;
}

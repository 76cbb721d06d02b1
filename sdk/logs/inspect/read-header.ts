import { failureReason } from "../attempts.ts";
import {
  type Fields,
  sortableDate,
  canonicalJson,
  filledText,
  list,
  numberOf,
  record,
  settingsText,
  textOf,
} from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunResults, type TaskResults } from "../run-log.ts";
import { invalidLog } from "../score-rows.ts";
import { isObject } from "../../tables/json-records.ts";
import { lookUp } from "../../core/bundle/names.ts";

export interface InspectHeader {
  readonly task: string;
  readonly model: string;
  /** When it ended, else when it began. */
  readonly date: string;
  /** Why the run broke off, in Inspect's words; null where it came to its end. */
  readonly broken: string | null;
  readonly invalidated: boolean;
  readonly epochs: number;
  /** Names of what makes one score of a sample's epochs; `mean` by default. */
  readonly reducers: readonly string[];
  readonly results: RunResults;
}

/** Aggregates of these names are means over samples. */
const MEANS = ["accuracy", "mean"];

/** Generation settings that say how requests are sent, and not what is asked; a seed makes another trial of the same. */
const NO_SETTINGS = [
  ...["max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "adaptive_connections"],
  ...["cache", "cache_prompt", "batch", "seed"],
];

/** Reads the header of a log: `header.json` of an `.eval` file, or a whole `.json` log. */
export function readInspectHeader(value: unknown, file: string): InspectHeader {
  const root = record(value);
  const evaluation = record(root.eval);
  const { created } = evaluation;
  const [task, model] = [filledText(evaluation.task), filledText(evaluation.model)];
  if (task === null || model === null || typeof root.status !== "string")
    throw invalidLog(file, "this is no log of Inspect: it has no eval.task, eval.model and status");
  const config = record(evaluation.config);
  return {
    task,
    model,
    date: sortableDate(record(root.stats).completed_at) || sortableDate(created),
    broken: brokenWords(root.status, root.error),
    invalidated: root.invalidated === true,
    epochs: numberOf(config.epochs) ?? 1,
    reducers: Array.isArray(config.epochs_reducer) ? config.epochs_reducer.map(String) : ["mean"],
    results: {
      ...UNTOLD_RUN,
      model,
      modelArguments: settingsText(evaluation.model_args) ?? "{}", // the log has all of them
      harnessVersion: textOf(record(evaluation.packages).inspect_ai),
      generation: settingsText(record(root.plan).config, NO_SETTINGS),
      solver: solverOf(record(root.plan).steps),
      taskArguments: isObject(evaluation.task_args) ? canonicalJson(portable(evaluation.task_args)) : null,
      scorers: scorersOf(evaluation),
      tasks: new Map([[task, taskResults(root, evaluation)]]),
    },
  };
}

function brokenWords(status: string, error: unknown): string | null {
  if (status === "success") return null;
  const message = filledText(record(error).message);
  return `it ended with the status ${status}${message === null ? "" : `: ${failureReason(message)}`}`;
}

function taskResults(root: Fields, evaluation: Fields): TaskResults {
  const dataset = record(evaluation.dataset);
  const ids = Array.isArray(dataset.sample_ids) ? dataset.sample_ids.length : null;
  const all = numberOf(dataset.samples) ?? ids;
  return {
    ...UNTOLD_TASK,
    version:
      textOf(evaluation.task_version) ??
      (evaluation.task_version == null ? null : canonicalJson(evaluation.task_version)),
    aggregates: aggregatesOf(record(root.results).scores),
    epochs: numberOf(record(evaluation.config).epochs) ?? 1,
    documents: all === null ? null : { all, run: ids ?? all },
    ...callOf(evaluation),
  };
}

/**
 * The task as `inspect eval` takes it, with the arguments that were passed; none for one of no file and no package, and for
 * an argument that `-T` can't say.
 */
function callOf({
  task,
  task_file,
  task_registry_name,
  task_args_passed,
  task_args,
}: Fields): Pick<TaskResults, "call"> {
  const [name, file] = [filledText(task_registry_name) ?? String(task), filledText(task_file)];
  if (file === null && !name.includes("/")) return {};
  const passed = Object.entries(record(task_args_passed ?? task_args)).map(([argument, value]) => {
    const text = passedText(value);
    return text === null ? null : `${argument}=${text}`;
  });
  if (passed.includes(null)) return {};
  return { call: [file === null ? name : `${file}@${name}`, ...passed.flatMap((argument) => ["-T", argument!])] };
}

/** A value as `-T` reads it, which is YAML; null for text with a comma, of which it makes a list. */
function passedText(value: unknown): string | null {
  if (typeof value !== "string") return canonicalJson(value);
  if (value.includes(",")) return null;
  return PLAIN.test(value) && !NO_TEXT.test(value) ? value : JSON.stringify(value);
}

const PLAIN = /^(?:[a-z]|\.{0,2}\/)[\w./-]*$/i;
/** Words that YAML takes for a truth or for nothing. */
const NO_TEXT = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** Means of every score by `score,reducer`. */
function aggregatesOf(scores: unknown): Map<string, number> {
  const aggregates = new Map<string, number>();
  for (const entry of list(scores)) {
    const { name, scorer, reducer, metrics } = record(entry);
    if (typeof name !== "string") continue;
    const score = typeof scorer === "string" && scorer !== name ? `${scorer}/${name}` : name;
    for (const mean of MEANS) {
      const { value } = record(lookUp(record(metrics), mean));
      if (typeof value === "number") aggregates.set(`${score},${textOf(reducer) ?? "mean"}`, value);
    }
  }
  return aggregates;
}

/** The steps with the arguments that they were given: `system_message(template="…"), generate()`. */
function solverOf(steps: unknown): string | null {
  if (!Array.isArray(steps) || steps.length === 0) return null;
  return steps
    .map((step) => {
      const { solver, params_passed: passed, params } = record(step);
      const parameters = Object.entries(record(passed ?? params)).filter(([, value]) => value !== null);
      return `${String(solver)}(${parameters.map(([name, value]) => `${name}=${canonicalJson(value)}`).join(", ")})`;
    })
    .join(", ");
}

/** The scorers with the arguments that they were given, and who plays the roles that they call: `grader: openai/gpt-4o`. */
function scorersOf({ scorers, model_roles }: Fields): Map<string, string> {
  const roles = Object.entries(record(model_roles)).map(([role, models]) => {
    const players = [models].flat().map((player) => String(record(player).model));
    return `; ${role}: ${players.join(", ")}`;
  });
  return new Map(
    list(scorers).flatMap((entry) => {
      const { name, options } = record(entry);
      if (typeof name !== "string") return [];
      const parameters = Object.entries(record(portable(options)));
      const short = name.slice(name.lastIndexOf("/") + 1);
      const call = `${short}(${parameters.map(([option, value]) => `${option}=${canonicalJson(value)}`).join(", ")})`;
      return [[short, `${call}${roles.join("")}`] as const];
    }),
  );
}

/** Names of arguments that are of one machine or one run. */
const OF_RUNS = /(^|_)(seed|cache|base_url|port|host|device|sandbox|timeout|retries|workers|connections|log_dir|timestamp|run_id)($|_)/i; // prettier-ignore
const IS_PLACE = /^([~/\\]|[a-z]:[/\\]|file:)/i;

/** Arguments without what only says where and when a run was made: of files the name alone counts, of objects no address. */
function portable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(portable);
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, setting]) =>
        setting === null || OF_RUNS.test(name) ? [] : [[name, portable(setting)] as const],
      ),
    );
  if (typeof value !== "string") return value;
  const text = value.replace(/ at 0x[0-9a-f]+/gi, "");
  return IS_PLACE.test(text) ? text.split(/[/\\]+/).findLast((part) => part !== "") : text;
}

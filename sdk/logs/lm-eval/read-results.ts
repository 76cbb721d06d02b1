import {
  type Fields,
  canonicalJson,
  filledText,
  list,
  numberOf,
  numbersOf,
  parsePythonJson,
  record,
  textsOf,
  versionText,
} from "../json.ts";
import { revisedName, UNTOLD_RUN, type GroupResults, type RunResults, type TaskResults } from "../run-log.ts";
import { invalidLog } from "../score-rows.ts";
import { lookUp } from "../../core/bundle/names.ts";

/** Reads a results file of lm-evaluation-harness, versions from 0.4.3. */
export function readLmEvalResults(text: string, file: string): RunResults {
  let value: unknown;
  try {
    value = parsePythonJson(text);
  } catch (cause) {
    throw invalidLog(file, "the file is not valid JSON", cause);
  }
  const root = record(value);
  if (!("results" in root) || !("configs" in root))
    throw invalidLog(file, "this is no results file of lm-eval: it has no results and configs");
  const results = record(root.results);
  const groups = readGroups(root, results);
  const config = record(root.config);
  return {
    ...UNTOLD_RUN,
    model: modelName(root, config),
    modelArguments: config.model_args == null ? null : (argumentText(config.model_args) ?? ""),
    modelFacts: textsOf(config, MODEL_FACTS),
    harnessVersion:
      filledText(root.lm_eval_version) ??
      (filledText(root.git_hash) === null ? null : `git ${filledText(root.git_hash)!}`),
    // Without one, 0.4.5 logs the empty text and other versions null.
    chatTemplate: "chat_template" in root ? filledText(root.chat_template) !== null : null,
    systemInstruction: "system_instruction" in root ? (filledText(root.system_instruction_sha) ?? "none") : null,
    fewshotAsMultiturn: typeof root.fewshot_as_multiturn === "boolean" ? root.fewshot_as_multiturn : null,
    generation: argumentText(config.gen_kwargs),
    tasks: new Map(Object.keys(record(root.configs)).map((task) => [task, readTask(root, task)])),
    groups,
  };
}

/** The harness's class of the model, and what it finds where that is loaded: a checkpoint's commit, its numbers' type. */
const MODEL_FACTS = ["model", "model_sha", "model_dtype", "peft_sha", "delta_sha"];

function readTask(root: Fields, task: string): TaskResults {
  const config = record(lookUp(record(root.configs), task));
  const metrics = list(config.metric_list).map(record);
  const named = list(config.filter_list).flatMap((filter) => filledText(record(filter).name) ?? []);
  const aggregates = readAggregates(record(lookUp(record(root.results), task)));
  const counts = record(lookUp(record(root["n-samples"]), task));
  return {
    version: versionText(lookUp(record(root.versions), task)),
    shots: numberOf(lookUp(record(root["n-shot"]), task)),
    aggregates,
    aggregations: new Map(
      metrics.flatMap(({ metric, aggregation }) =>
        typeof metric === "string" && typeof aggregation === "string" ? [[metric, aggregation] as const] : [],
      ),
    ),
    higherIsBetter: new Map(
      Object.entries(record(lookUp(record(root.higher_is_better), task))).flatMap(([metric, higher]) =>
        typeof higher === "boolean" ? [[metric, higher] as const] : [],
      ),
    ),
    filters:
      named.length > 0 ? named : [...new Set([...aggregates.keys()].map((key) => key.slice(key.indexOf(",") + 1)))],
    epochs: null,
    documents:
      typeof counts.original === "number" && typeof counts.effective === "number"
        ? { all: counts.original, run: counts.effective }
        : null,
    ...callOf(record(config.metadata).config_source),
    ...askedDocuments(record(record(config.metadata).anchoreval)),
  };
}

/** The option that finds a task's file, which the harness logs from 0.4.12 on; none for the files that come with it. */
function callOf(source: unknown): Pick<TaskResults, "call"> {
  const file = filledText(source);
  if (file === null || !/\.ya?ml$/.test(file) || /(^|[/\\])lm_eval[/\\]tasks[/\\]/.test(file)) return {};
  return { call: ["--include_path", file.replace(/[/\\]?[^/\\]*$/, "") || "."] };
}

/** Of a task of anchors: its documents are those of its tasks, one after another. */
function askedDocuments({ tasks }: Fields): Pick<TaskResults, "anchored"> {
  if (tasks === undefined) return {};
  let place = 0;
  const anchored = Object.entries(record(tasks)).map(([task, settings]) => {
    const ids = list(record(settings).items).map((pair) => list(pair)[1] as number | string);
    return [task, new Map(ids.map((id) => [place++, id]))] as const;
  });
  return { anchored: new Map(anchored) };
}

/** Groups, without those that only name a task itself (before 0.4.4 every task has an empty entry). */
function readGroups(root: Fields, results: Fields): Map<string, GroupResults> {
  const groups = new Map<string, GroupResults>();
  for (const [name, children] of Object.entries(record(root.group_subtasks))) {
    if (!Array.isArray(children) || children.length === 0) continue;
    groups.set(name, {
      children: children.filter((child) => typeof child === "string"),
      aggregates: readAggregates(record(lookUp(record(root.groups), name) ?? lookUp(results, name))),
    });
  }
  return groups;
}

/** The numbers under keys `metric,filter`; standard errors stand under `metric_stderr,filter`. */
function readAggregates(metrics: Fields): Map<string, number> {
  return new Map(
    [...numbersOf(metrics)].filter(([key]) => key.indexOf(",") > 0 && !key.split(",")[0]!.endsWith("_stderr")),
  );
}

function modelName(root: Fields, config: Fields): string | null {
  const name = filledText(root.model_name) ?? nameFromArguments(config.model_args);
  const revision = filledText(config.model_revision) ?? argument(config.model_args, "revision");
  return revisedName(name, revision);
}

/** As the harness itself takes it from the model's arguments. */
function nameFromArguments(arguments_: unknown): string | null {
  const keys = ["peft", "delta", "pretrained", "model", "path", "engine"];
  return keys.map((key) => argument(arguments_, key)).find((value) => value !== null) ?? null;
}

function argument(arguments_: unknown, key: string): string | null {
  if (typeof arguments_ !== "string") return filledText(lookUp(record(arguments_), key));
  const setting = arguments_.split(",").find((part) => part.startsWith(`${key}=`));
  return setting === undefined ? null : setting.slice(key.length + 1);
}

/** Arguments, as text `name=value,…` or as an object: by name, so that the same ones have the same text however they are logged. */
function argumentText(value: unknown): string | null {
  const parts =
    typeof value === "string"
      ? value.split(",").map((part) => part.split(/=(.*)/s, 2))
      : Object.entries(record(value)).map(([name, setting]) => [
          name,
          typeof setting === "string" ? setting : canonicalJson(setting),
        ]);
  const texts = parts.flatMap(([name = "", setting = ""]) =>
    name.trim() === "" || NONE.test(setting) ? [] : [`${name.trim()}=${plainValue(setting.trim())}`],
  );
  return texts.length === 0 ? null : texts.sort().join(",");
}

/** A value that is left at its default. */
const NONE = /^(?:none|null)$/i;

/** Python's and JSON's numbers and truths alike. */
function plainValue(text: string): string {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase();
  return text !== "" && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}

/** The parts of an lm-eval log's name. */
interface LogFileName {
  readonly kind: "samples" | "results";
  /** The task of a samples file; null for results. */
  readonly task: string | null;
  /** When the run ended, for example `2024-11-26T10-47-32.305387`: sorts as text. Empty where the name has none. */
  readonly date: string;
}

const DATE = "\\d{4}-\\d{2}-\\d{2}T\\d{2}-\\d{2}-\\d{2}(?:\\.\\d+)?";
/** Behind the date may stand what names a part, such as a rank: no task. */
const SAMPLES = new RegExp(`^samples_(.+?)(?:_(${DATE})(?:[._-].*)?)?\\.jsonl(?:\\.gz)?$`, "i");
/** With `--output_path NAME.json` the harness writes `NAME_<date>.json`, so any stem may stand before the date. */
const RESULTS = new RegExp(`^(?:results|.*_(${DATE}))\\.json$`);

/**
 * Reads a file name of lm-evaluation-harness (0.4.3 and later, `--log_samples`): `samples_<task>_<date>.jsonl`,
 * `results_<date>.json`, plain or, for samples, gzip. The files of one run have the same date and folder.
 * @example logFileName("samples_mmlu_anatomy_2024-11-26T10-47-32.305387.jsonl")?.task // "mmlu_anatomy"
 */
export function logFileName(name: string): LogFileName | null {
  const samples = SAMPLES.exec(name);
  if (samples) return { kind: "samples", task: samples[1]!, date: samples[2] ?? "" };
  const results = RESULTS.exec(name);
  return results && { kind: "results", task: null, date: results[1] ?? "" };
}

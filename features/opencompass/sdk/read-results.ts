import { isObject } from "../../../sdk/tables/json-records.ts";
import { attemptFailure } from "../../../sdk/logs/attempts.ts";
import { type Fields, numbersOf, canonicalJson, list, numberOf, record } from "../../../sdk/logs/json.ts";
import {
  UNTOLD_RUN,
  UNTOLD_TASK,
  type GroupResults,
  type RunResults,
  type TaskResults,
} from "../../../sdk/logs/run-log.ts";
import { invalidLog } from "../../../sdk/logs/score-rows.ts";
import { parsePythonAssignments, parsePythonLiteral } from "./python-literal.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** Facts that lie beside a run's results. */
export interface RunFacts {
  readonly config: OpenCompassConfig | null;
  readonly summary: OpenCompassSummary | null;
}

/** One dataset's results, without what is said of its items. */
export interface DatasetScores {
  /** By metric, of several runs the average; in percent, as OpenCompass reports them. */
  readonly reported: ReadonlyMap<string, number>;
  /** Questions of a list of details, or answers of details by number; null where there are none. */
  readonly details: { readonly listed: boolean; readonly count: number } | null;
  /** Why the evaluation failed, in OpenCompass's words; null where it didn't. */
  readonly failure: string | null;
}

/** ` (3 runs average)` behind a metric's name. */
const AVERAGED = / \(\d+ runs average\)$/;

/** Reads `results/<model>/<dataset>.json`. */
export function readDatasetScores(value: unknown, file: string): DatasetScores {
  if (!isObject(value)) throw invalidLog(file, "these are no results of OpenCompass: no object");
  const { details, error, ...rest } = value;
  const reported = Array.from(numbersOf(rest), ([name, score]) => [name.replace(AVERAGED, ""), score] as const);
  return {
    ...{ reported: new Map(reported), details: countDetails(details) },
    failure: details === undefined ? attemptFailure(undefined, error) : null,
  };
}

function countDetails(details: unknown): DatasetScores["details"] {
  if (Array.isArray(details)) return { listed: true, count: details.length };
  if (typeof details !== "object" || details === null) return null;
  return { listed: false, count: Object.keys(details).filter((key) => /^\d+$/.test(key)).length };
}

/** One model's results in a run. @param datasets - the results of all its datasets */
export function openCompassResults(
  model: string,
  datasets: ReadonlyMap<string, DatasetScores>,
  { config, summary }: RunFacts,
): RunResults {
  const modelSettings = config?.models.get(model);
  const tasks = [...datasets].map(([name, { reported, details }]): [string, TaskResults] => {
    const settings = config?.datasets.get(name);
    const runs = details?.listed === false ? (settings?.runs ?? 1) : 1;
    return [
      name,
      {
        ...UNTOLD_TASK,
        version: summary?.versions.get(name) ?? null,
        shots: settings?.shots ?? null,
        aggregates: fractions(reported),
        documents:
          !details || settings?.partial === true ? null : { all: details.count / runs, run: details.count / runs },
      },
    ];
  });
  return {
    ...UNTOLD_RUN,
    model,
    modelArguments: modelSettings?.arguments ?? null,
    chatTemplate: modelSettings?.template ?? null,
    generation: modelSettings?.generation ?? null,
    tasks: new Map(tasks),
    groups: readGroups(summary?.groups.get(model) ?? new Map(), datasets, config),
  };
}

/**
 * The groups of datasets that the summary scores by a mean. Of groups that share datasets (`mmlu`, `mmlu-stem`,
 * `mmlu-weighted`) the largest counts, and of equals that one where every dataset counts the same.
 */
function readGroups(
  scores: ReadonlyMap<string, ReadonlyMap<string, number>>,
  datasets: ReadonlyMap<string, DatasetScores>,
  config: OpenCompassConfig | null,
): Map<string, GroupResults> {
  const taken = new Set<string>();
  const groups = new Map<string, GroupResults>();
  const largestFirst = (config?.groups ?? [])
    .filter(({ name, children }) => scores.has(name) && children.every((child) => datasets.has(child)))
    .sort((left, right) => right.children.length - left.children.length || Number(right.plain) - Number(left.plain));
  for (const { name, children, metrics, plain } of largestFirst) {
    if (children.some((child) => taken.has(child))) continue;
    for (const child of children) taken.add(child);
    const aggregates = new Map(scores.get(name));
    // A group of named metrics has one score, whatever these are called.
    const whole = aggregates.get(plain ? "naive_average" : "weighted_average");
    if (whole !== undefined) for (const metric of metrics) aggregates.set(metric, whole);
    groups.set(name, {
      children,
      aggregates: fractions(aggregates),
      ...(plain && { weighting: "subscenarios" as const }),
    });
  }
  return groups;
}

/** By `metric,none`: OpenCompass has no filters. */
function fractions(percentages: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...percentages].map(([metric, value]) => [`${metric},none`, value / 100]));
}

interface OpenCompassConfig {
  /** By `abbr`. */
  readonly datasets: ReadonlyMap<string, DatasetConfig>;
  readonly models: ReadonlyMap<string, ModelConfig>;
  readonly groups: readonly GroupConfig[];
}

interface DatasetConfig {
  readonly shots: number | null;
  /** How often every question is asked. */
  readonly runs: number;
  /** Only a part of the questions is asked (`test_range`). */
  readonly partial: boolean;
}

interface ModelConfig {
  /** Whether prompts are put into a template of the model's. */
  readonly template: boolean;
  readonly arguments: string;
  readonly generation: string | null;
}

/** A group of datasets with a score of its own. */
interface GroupConfig {
  readonly name: string;
  readonly children: readonly string[];
  /** The metrics of its children that the group's one score is made of; empty where it has a score for each metric. */
  readonly metrics: readonly string[];
  /** Every child counts the same. */
  readonly plain: boolean;
}

/** Fields of a model's configuration that make no other model of it. */
const NO_ARGUMENTS = new Set(["abbr", "batch_size", "run_cfg", "generation_kwargs", "max_out_len"]);
/** Groups whose score is no mean of their members'. */
const NO_MEAN = ["std", "sum", "harmonic_mean", "transforms"];

/** Reads `configs/<date>.py`. @throws SyntaxError naming the line */
export function readOpenCompassConfig(text: string): OpenCompassConfig {
  const { datasets, models, summarizer } = parsePythonAssignments(text);
  return {
    datasets: byName(datasets, readDataset),
    models: byName(models, readModel),
    groups: list(record(summarizer).summary_groups).flatMap((group) => readGroup(record(group))),
  };
}

function readDataset(config: Fields): DatasetConfig {
  return {
    shots: shotsOf(record(record(config.infer_cfg).retriever)),
    runs: numberOf(config.n) ?? 1,
    partial: isSet(record(config.reader_cfg).test_range),
  };
}

/** Retrievers choose the examples: none, these, or so many. */
function shotsOf(retriever: Fields): number | null {
  if (/(^|\.)ZeroRetriever$/.test(String(retriever.type))) return 0;
  if (Array.isArray(retriever.fix_id_list)) return retriever.fix_id_list.length;
  return numberOf(retriever.ice_num);
}

function readModel(config: Fields): ModelConfig {
  const { generation_kwargs: settings, max_out_len: length } = config;
  return {
    template: isSet(config.meta_template) || /ChatTemplate$/.test(String(config.type)),
    arguments: canonicalJson(Object.fromEntries(Object.entries(config).filter(([name]) => !NO_ARGUMENTS.has(name)))),
    generation: !isSet(settings) && !isSet(length) ? null : canonicalJson({ ...record(settings), max_out_len: length }),
  };
}

function readGroup(group: Fields): GroupConfig[] {
  const { name, subsets, weights } = group;
  if (typeof name !== "string" || NO_MEAN.some((field) => isSet(lookUp(group, field)))) return [];
  const members = list(subsets).map((subset) => (typeof subset === "string" ? [subset] : list(subset).map(String)));
  return [
    {
      name,
      children: members.flatMap(([child]) => child ?? []),
      metrics: [...new Set(members.flatMap(([, metric]) => metric ?? []))],
      plain: !isSet(weights),
    },
  ];
}

/** Given, and not by an empty list or dictionary. */
function isSet(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false;
}

function byName<T>(configs: unknown, read: (config: Fields) => T): Map<string, T> {
  return new Map(
    list(configs)
      .map(record)
      .flatMap((config) => (typeof config.abbr === "string" ? [[config.abbr, read(config)] as const] : [])),
  );
}

/** The part of a run's summary that its datasets' results lack. */
interface OpenCompassSummary {
  /** OpenCompass's digest of each dataset's prompts and settings, by dataset. */
  readonly versions: ReadonlyMap<string, string>;
  /** Scores of groups in full precision, in percent, by model, group and metric. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;
}

const MODEL = /^Model: (.+)$/;
const HEADER = "dataset,version,metric,mode,";

/**
 * Reads `summary/summary_<date>.txt`: its part in CSV has the versions, its raw part the scores.
 * @throws SyntaxError where a group's line of scores is no dictionary
 */
export function readOpenCompassSummary(text: string, groupNames: readonly string[]): OpenCompassSummary {
  const versions = new Map<string, string>();
  const groups = new Map<string, Map<string, Map<string, number>>>();
  let model: Map<string, Map<string, number>> | null = null;
  let inCsv = false;
  for (const line of text.split(/\r?\n/)) {
    inCsv = line.startsWith(HEADER) || (inCsv && line.includes(","));
    if (inCsv) {
      const [dataset, version] = line.split(",");
      if (version !== undefined && version !== "-" && version !== "version") versions.set(dataset!, version);
      continue;
    }
    const name = MODEL.exec(line)?.[1];
    if (name !== undefined) {
      model = new Map<string, Map<string, number>>();
      groups.set(name, model);
      continue;
    }
    const at = line.indexOf(": {");
    const group = line.slice(0, Math.max(0, at));
    if (model === null || !line.endsWith("}") || !groupNames.includes(group)) continue;
    model.set(group, numbersOf(parsePythonLiteral(line.slice(at + 2))));
  }
  return { versions, groups };
}

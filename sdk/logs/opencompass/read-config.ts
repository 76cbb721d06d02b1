import { canonicalJson, list, numberOf, numbersOf, record } from "../json.ts";
import { parsePythonAssignments, parsePythonLiteral } from "../python-literal.ts";
import { lookUp } from "../../core/bundle/names.ts";

export interface OpenCompassConfig {
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

type Fields = Readonly<Record<string, unknown>>;

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
export interface OpenCompassSummary {
  /** OpenCompass's digest of each dataset's prompts and settings, by dataset. */
  readonly versions: ReadonlyMap<string, string>;
  /** Scores of groups in full precision, in percent, by model, group and metric. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, number>>>;
}

const MODEL = /^Model: (.+)$/;
const HEADER = "dataset,version,metric,mode,";

/**
 * Reads `summary/summary_<date>.txt`: its part in CSV has the versions, its raw part the scores.
 * @param groupNames - the groups whose scores are wanted
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

import { isObject } from "../../tables/json-records.ts";
import { attemptFailure } from "../attempts.ts";
import { numbersOf } from "../json.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type GroupResults, type RunResults, type TaskResults } from "../run-log.ts";
import { invalidLog } from "../scores.ts";
import type { OpenCompassConfig, OpenCompassSummary } from "./read-config.ts";

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

/**
 * Reads `results/<model>/<dataset>.json`.
 * @param file - names the file in messages
 * @throws AnchorEvalError `invalid_data` where it isn't one
 */
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

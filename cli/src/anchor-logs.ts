import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { parseChoices, type Choose } from "anchoreval/internal/logs/choices";
import {
  protocolDifferences,
  PROTOCOL_WORDS,
  type TaskProtocol,
  taskProtocol,
} from "anchoreval/internal/logs/protocol";
import {
  countAttempts,
  countedScores,
  errorWords,
  type ErrorPolicy,
  isAnswered,
  meanScore,
} from "anchoreval/internal/logs/attempts";
import { chooseRuns, type ReadRun, shardOwner } from "anchoreval/internal/logs/choose-runs";
import { matchAnchors } from "anchoreval/internal/logs/match-anchors";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import type { ItemTrials } from "anchoreval/internal/trials/types";
import {
  groupBy,
  groupedRemarks,
  type LoggedSample,
  type RunLog,
  type RunSamples,
  taskAmong,
} from "anchoreval/internal/logs/run-log";
import { type HarnessName, readChosen } from "anchoreval/internal/node/harnesses";
import { counted } from "anchoreval/internal/words/figures";
import { given } from "./command.ts";
import { allAnchors, fieldAnchors, sourceScenarios } from "./form-anchors.ts";
import { loggedCosts, type LoggedCosts } from "./prices/logged-costs.ts";
import { openHarness } from "./trainer.ts";

/** A warning of how answers came, for `warnings` of `--json`. */
export interface AnswerWarning {
  readonly code: "unknown_items" | "other_protocol" | "failed_answers";
  /** Answers that it is about. */
  readonly count?: number;
  readonly message: string;
}

/** One model's answers from a file, or from a harness's logs. */
export interface ReadModel {
  readonly name: string;
  readonly responses: ReadonlyMap<string, number | null>;
  /** Trials of those items that there are several of; absent where every answer is one score. */
  readonly trials?: ReadonlyMap<string, ItemTrials>;
  readonly hashes: ReadonlyMap<string, string>;
  /** Cost of these answers, where their logs say it. */
  readonly took?: LoggedCosts;
  /** The form that was asked for. */
  readonly form?: string;
  readonly warnings: readonly AnswerWarning[];
}

interface AnchorLogOptions extends ScaleOptions {
  readonly from: HarnessName;
  readonly metric: readonly string[];
  readonly filter: readonly string[];
  /** How attempts that failed or have no score count. */
  readonly errors: ErrorPolicy;
  /** The form to answer; without it, what the answers fill. */
  readonly form: string | undefined;
  /** Anchors with tasks and document ids that aren't the bundle's own. @default the bundle's */
  readonly anchors?: readonly AnchorRecord[];
  /** All items of the bundle, named as its anchors are: asked for where logs have more than anchors. @default only anchors count */
  readonly allItems?: () => Promise<readonly AnchorRecord[]>;
  /** Of tasks whose documents are named by a field of theirs, that field. @default none: by their places */
  readonly fields?: ReadonlyMap<string, string>;
}

/**
 * Reads the answers to a bundle's anchors from one model's logs of a harness, of a run on the anchors only or on more.
 * @throws AnchorEvalError as the harness's reader; `invalid_answers` where there is no anchor in the
 * logs, `invalid_data` where they are of several models
 */
export async function readAnchorLogs(
  bundle: Bundle,
  paths: readonly string[],
  options: AnchorLogOptions,
): Promise<ReadModel & { readonly remarks: readonly string[] }> {
  const harness = await openHarness(options.from, `--from ${options.from}`);
  const remarks: string[] = [];
  const logs = await harness.find(paths, { onRemark: (words) => remarks.push(words) });
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_data",
      `these are the logs of ${models.length} models: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}; an estimate takes one: name its folder or files`,
    );
  let items = options.anchors ?? allAnchors(bundle);
  const tasksOf = (): Set<string> => new Set(items.map((item) => item.task ?? taskOfId(item.item_id)));
  let tasks = tasksOf();
  const choose = { ...options, ...given({ idFields: options.fields }), ...fittedChoices(bundle, options) };
  let { allItems } = options;
  const readAll = async (): Promise<void> => {
    items = (await allItems?.()) ?? items;
    tasks = tasksOf();
    allItems = undefined;
  };
  if (!logs.every((log) => tasks.has(taskAmong(tasks, log.task)))) await readAll();
  const byTask = groupBy(logs, (log) => taskAmong(tasks, log.task));
  const foreign = [...byTask.keys()].filter((task) => !tasks.has(task));
  if (foreign.length > 0)
    remarks.push(
      `the bundle has no item of ${foreign.slice(0, 5).join(", ")}${foreign.length > 5 ? `, … (${foreign.length} tasks)` : ""}: ignored`,
    );
  const scoreOf = ({ attempts }: LoggedSample): number | null => meanScore(countedScores(attempts, options.errors));
  const runs: AnchorRun[] = [];
  const samples: LoggedSample[] = [];
  for (const [task, group] of byTask) {
    if (!tasks.has(task)) continue;
    const read: AnchorRun[] = [];
    for (const log of group) read.push(await readRun(log, task));
    const choice = chooseRuns(read);
    runs.push(...choice.parts);
    const counts = shardOwner(choice.parts);
    for (const part of choice.parts) samples.push(...part.samples.filter(({ doc_id }) => counts(part, doc_id)));
    remarks.push(...choice.remarks.map(({ words, counts: figures = "" }) => `${task}${figures}: ${words}`));
    if (read.length > 1 && choice.parts.length === 1) remarks.push(`${task}: ${choice.parts[0]!.log.file} counts`);
  }
  async function readRun(log: RunLog, task: string): Promise<AnchorRun> {
    const { samples, ...run } = await readChosen(harness, log, choose);
    const differences = differenceWords(
      bundle.manifest.protocol,
      task,
      taskProtocol(log.results, { ...run, task: log.task }),
    );
    return {
      ...{ ...run, log, differences, samples: samples.map((sample) => ({ ...sample, task })) },
      attempts: countAttempts(samples),
      counts: samples.some((sample) => scoreOf(sample) !== null),
      answers: () =>
        new Map(samples.flatMap((sample) => (isAnswered(sample) ? [[String(sample.doc_id), scoreOf(sample)!]] : []))),
    };
  }
  const absent = runs.flatMap((run) => run.absent ?? []);
  if (absent.length > 0 && absent.length === runs.length) throw absent[0]!;
  for (const { log, ...run } of runs)
    if (run.absent)
      remarks.push(`${log.task} has no such metric or filter, and counts by ${run.metric}, ${run.filter}`);
  remarks.push(...groupedRemarks(runs.map(({ log, ...run }) => ({ who: log.file, remarks: run.remarks }))));
  const warnings = groupedRemarks(runs.map(({ log, differences }) => ({ who: log.task, remarks: differences }))).map(
    (message): AnswerWarning => ({ code: "other_protocol", message }),
  );
  let matched = matchAnchors(items, samples);
  if (matched.ignored > 0 && allItems) {
    await readAll();
    matched = matchAnchors(items, samples);
  }
  if (matched.found.size === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${paths.join(", ")}: no anchor of this bundle is in these logs; ${anchorWords(bundle, [...tasks])}${remarks.map((words) => `\n  ${words}`).join("")}`,
    );
  if (matched.ignored > 0)
    warnings.push({
      code: "unknown_items",
      count: matched.ignored,
      message: `${counted(matched.ignored, "sample")} of these logs ${matched.ignored === 1 ? "is" : "are"} of no item of the bundle: ${matched.ignored === 1 ? "it doesn't" : "they don't"} count.`,
    });
  const failed = errorWords(countAttempts(matched.found.values()), options.errors);
  if (failed !== null) warnings.push({ code: "failed_answers", message: failed });
  const trials = new Map(
    [...matched.found].flatMap(([id, { attempts }]) =>
      attempts.length === 1
        ? []
        : [[id, attempts.map((attempt) => countedScores([attempt], options.errors)[0] ?? null)] as const],
    ),
  );
  const repeated = trials.size > 0 && { trials };
  const took = loggedCosts([...matched.found.values()]);
  return {
    ...given({ form: options.form, took }),
    ...repeated,
    responses: new Map(Array.from(matched.found, ([id, sample]) => [id, scoreOf(sample)])),
    name: models[0]!,
    hashes: matched.hashes,
    warnings,
    remarks,
  };
}

/** A run on anchors of one task. */
interface AnchorRun extends ReadRun, Omit<RunSamples, "task"> {
  /** In what it was asked otherwise than the models that the bundle was fitted on. */
  readonly differences: readonly string[];
}

/** Where a bundle's anchors are to be found. */
function anchorWords(bundle: Bundle, tasks: readonly string[]): string {
  const own = sourceScenarios(bundle);
  if (own.length === bundle.scenarios.size)
    return `their ids are the source's own, and it isn't known which documents they are: give answers by these ids, or by --items FILE the task and doc_id of each`;
  const [field] = fieldAnchors(bundle, allAnchors(bundle)).fields.values();
  const named = `its anchors are of the tasks ${tasks.slice(0, 5).join(", ")}${tasks.length > 5 ? ", …" : ""}`;
  return field === undefined
    ? named
    : `${named}, and named by the field ${field} of lm-evaluation-harness's documents (--from lm-eval; elsewhere --items FILE says what they are called)`;
}

/** In what a run of a task differs from those that the bundle was fitted on, in a sentence each. */
export function differenceWords(
  fitted: Parameters<typeof protocolDifferences>[0],
  task: string,
  protocol: TaskProtocol,
): string[] {
  return protocolDifferences(fitted, task, protocol).map(
    ({ field, bundle, run }) =>
      `${PROTOCOL_WORDS[field]}: ${run} in this run, ${bundle} in those of the models that the bundle was fitted on: the scores may not compare`,
  );
}

/** Metric and filter as asked for, else those that the bundle was fitted on. */
export function fittedChoices(
  bundle: Bundle,
  asked: Pick<AnchorLogOptions, "from" | "metric" | "filter" | "anchors">,
): { metric: Choose; filter: Choose } {
  const metric = parseChoices("metric", asked.metric);
  const filter = parseChoices("filter", asked.filter);
  const fitted = (field: "metric" | "filter", task: string): string | undefined => {
    const { protocol } = bundle.manifest;
    const value = protocol.harness === asked.from ? (protocol[`${field}/${task}`] ?? protocol[field]) : undefined;
    return typeof value === "string" && value !== "mixed" ? value : undefined;
  };
  const anchors = asked.anchors ?? allAnchors(bundle);
  const scenarios = new Map(anchors.map(({ task, item_id, scenario }) => [task ?? taskOfId(item_id), scenario]));
  // A run on anchors alone names no groups: the scenario is the group that they were fitted in.
  const own = (names: readonly string[]): string => taskAmong(scenarios.keys(), names[0]!);
  const withScenario = (names: readonly string[]): string[] => {
    const task = own(names);
    return [...(task === names[0] ? [] : [task]), ...names, ...(scenarios.has(task) ? [scenarios.get(task)!] : [])];
  };
  return {
    metric: (names, only) => metric(withScenario(names), only) ?? fitted("metric", own(names)),
    // `--metric METRIC,FILTER` has named the filter already.
    filter: (names, only) =>
      filter(withScenario(names), only) ??
      (metric(withScenario(names), only)?.includes(",") ? undefined : fitted("filter", own(names))),
  };
}

function taskOfId(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf("/")));
}

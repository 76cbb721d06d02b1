import type { Bundle } from "../../core/bundle/bundle.ts";
import type { AnchorRecord } from "../../core/bundle/manifest.ts";
import { AnchorEvalError } from "../../core/errors.ts";
import { parseChoices, type Choose } from "../../logs/choices.ts";
import { countedScores, type ErrorPolicy } from "../../logs/attempts.ts";
import { itemScore } from "../../logs/choose-runs.ts";
import { matchAnchors } from "../../logs/match-anchors.ts";
import type { ScaleOptions } from "../../tables/score-reader.ts";
import type { ItemTrials } from "../../tables/item-trials.ts";
import { type LoggedSample, type RunLog, taskAmong } from "../../logs/run-log.ts";
import { selectRuns } from "../../logs/select-runs.ts";
import type { Harness } from "./harnesses.ts";
import type { HarnessName } from "./readers.ts";
import { allAnchors, fieldAnchors, sourceScenarios } from "../../logs/anchor-names.ts";
import {
  type AnswerWarning,
  protocolWarnings,
  runWarnings,
  sampleWarnings,
  scoreWarnings,
} from "../../logs/answer-warnings.ts";
import { loggedCosts, type LoggedCosts } from "../../logs/cost.ts";
import { fittedValue } from "../../logs/protocol.ts";

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

/** A model's answers, with the trials of those items that there are several of. */
export function modelAnswers({
  responses,
  trials = new Map(),
}: ReadModel): ReadonlyMap<string, number | null | ItemTrials> {
  return new Map([...responses].map(([id, score]) => [id, trials.get(id) ?? score]));
}

export interface AnchorLogOptions extends ScaleOptions {
  readonly harness: Harness;
  /** Of single tasks (`gsm8k=exact_match`) or of all. @default those that the bundle was fitted on, else the harness's first */
  readonly metric?: readonly string[];
  readonly filter?: readonly string[];
  /** How attempts that failed or have no score count. @default "harness" */
  readonly errors?: ErrorPolicy;
  /** The form to answer. @default what the answers fill */
  readonly form?: string;
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
): Promise<ReadModel> {
  const { harness, errors = "harness" } = options;
  const remarks: string[] = [];
  const logs = await harness.find(paths, { onRemark: (words) => remarks.push(words) });
  const name = onlyModel(logs);
  const asked = new AskedItems(options.anchors ?? allAnchors(bundle), options.allItems);
  if (!logs.every((log) => asked.has(log))) await asked.takeAll();
  remarks.push(...foreignTasks(logs, asked));
  const taskOf = (log: RunLog): string => asked.taskOf(log);
  const idFields = options.fields === undefined ? {} : { idFields: options.fields };
  const choose = { ...options, ...idFields, ...fittedChoices(bundle, harness.name, options) };
  const selected = await selectRuns(
    logs.filter((log) => asked.has(log)),
    {
      errors,
      taskOf,
      read: (log, special) => harness.read(log, choose, special),
      keep: (run) => run,
    },
  );
  const warnings = [
    ...remarks.map((message): AnswerWarning => ({ code: "log_remark", message })),
    ...runWarnings(logs, selected, taskOf),
    ...scoreWarnings(selected.runs, errors, options),
    ...protocolWarnings(bundle, selected.runs, taskOf),
  ];
  const samples = selected.runs.flatMap((run) => run.samples.map((sample) => ({ ...sample, task: taskOf(run.log) })));
  let matched = matchAnchors(asked.items, samples);
  if (matched.ignored > 0 && (await asked.takeAll())) matched = matchAnchors(asked.items, samples);
  if (matched.matches.size === 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${paths.join(", ")}: no anchor of this bundle is in these logs; ${anchorWords(bundle, [...asked.tasks])}${warnings.map(({ message }) => `\n  ${message}`).join("")}`,
    );
  return {
    ...modelOf(matched, errors),
    ...(options.form !== undefined && { form: options.form }),
    name,
    warnings: [...warnings, ...sampleWarnings(matched, errors)],
  };
}

/** The model of some logs. @throws AnchorEvalError `invalid_data` where they are of several */
function onlyModel(logs: readonly RunLog[]): string {
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_data",
      `these are the logs of ${models.length} models: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}; an estimate takes one: name its folder or files`,
    );
  return models[0]!;
}

/** The items that logs are looked through for: anchors, or all of the bundle where there is more in the logs. */
class AskedItems {
  items: readonly AnchorRecord[];
  tasks: ReadonlySet<string>;
  #all: AnchorLogOptions["allItems"];

  constructor(items: readonly AnchorRecord[], all: AnchorLogOptions["allItems"]) {
    this.items = items;
    this.tasks = tasksOf(items);
    this.#all = all;
  }

  /** The task of the items that a log's is: of documents with names of their own the only one, whatever it is called. */
  taskOf(log: RunLog): string {
    const task = taskAmong(this.tasks, log.task);
    const [only] = this.tasks;
    return log.named === true && this.tasks.size === 1 ? only! : task;
  }

  has(log: RunLog): boolean {
    return this.tasks.has(this.taskOf(log));
  }

  /** @returns false where no more items are to be had */
  async takeAll(): Promise<boolean> {
    const all = await this.#all?.();
    this.#all = undefined;
    if (all === undefined) return false;
    this.items = all;
    this.tasks = tasksOf(all);
    return true;
  }
}

function tasksOf(items: readonly AnchorRecord[]): Set<string> {
  return new Set(items.map((item) => item.task ?? taskOfId(item.item_id)));
}

function foreignTasks(logs: readonly RunLog[], asked: AskedItems): string[] {
  const tasks = [...new Set(logs.filter((log) => !asked.has(log)).map(({ task }) => task))];
  if (tasks.length === 0) return [];
  return [
    `the bundle has no item of ${tasks.slice(0, 5).join(", ")}${tasks.length > 5 ? `, … (${tasks.length} tasks)` : ""}: ignored`,
  ];
}

type Matched = ReturnType<typeof matchAnchors<LoggedSample>>;

/** A model's answers, its trials where an item was asked several times, and what they took. */
function modelOf(
  { matches: samples, hashes }: Matched,
  errors: ErrorPolicy,
): Pick<ReadModel, "responses" | "trials" | "hashes" | "took"> {
  const trials = new Map(
    [...samples].flatMap(([id, { attempts }]) =>
      attempts.length === 1
        ? []
        : [[id, attempts.map((attempt) => countedScores([attempt], errors)[0] ?? null)] as const],
    ),
  );
  const took = loggedCosts([...samples.values()]);
  return {
    ...(took && { took }),
    ...(trials.size > 0 && { trials }),
    responses: new Map(Array.from(samples, ([id, sample]) => [id, itemScore(sample, errors)])),
    hashes,
  };
}

/** Where a bundle's anchors are to be found. */
function anchorWords(bundle: Bundle, tasks: readonly string[]): string {
  const fromSource = sourceScenarios(bundle);
  if (fromSource.length === bundle.scenarios.size)
    return `their ids are the source's own, and it isn't known which documents they are: give answers by these ids, or a table of items with the task and doc_id of each`;
  const [field] = fieldAnchors(bundle, allAnchors(bundle)).fields.values();
  const named = `its anchors are of the tasks ${tasks.slice(0, 5).join(", ")}${tasks.length > 5 ? ", …" : ""}`;
  return field === undefined
    ? named
    : `${named}, and named by the field ${field} of lm-evaluation-harness's documents; for logs of others a table of items says what they are called`;
}

/** Metric and filter as asked for, else those that the bundle was fitted on. */
export function fittedChoices(
  bundle: Bundle,
  harness: HarnessName,
  asked: Pick<AnchorLogOptions, "metric" | "filter" | "anchors">,
): { metric: Choose; filter: Choose } {
  const metric = parseChoices("metric", asked.metric ?? []);
  const filter = parseChoices("filter", asked.filter ?? []);
  const fitted = (field: "metric" | "filter", task: string): string | undefined => {
    const { protocol } = bundle.manifest;
    const value = protocol.harness === harness ? fittedValue(protocol, field, task) : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const anchors = asked.anchors ?? allAnchors(bundle);
  const scenarios = new Map(anchors.map(({ task, item_id, scenario }) => [task ?? taskOfId(item_id), scenario]));
  // A run on anchors alone names no groups: the scenario is the group that they were fitted in.
  const taskOf = (names: readonly string[]): string => taskAmong(scenarios.keys(), names[0]!);
  const withScenario = (names: readonly string[]): string[] => {
    const task = taskOf(names);
    return [...(task === names[0] ? [] : [task]), ...names, ...(scenarios.has(task) ? [scenarios.get(task)!] : [])];
  };
  return {
    metric: (names, only) => metric(withScenario(names), only) ?? fitted("metric", taskOf(names)),
    // A metric `METRIC,FILTER` has named the filter already.
    filter: (names, only) =>
      filter(withScenario(names), only) ??
      (metric(withScenario(names), only)?.includes(",") ? undefined : fitted("filter", taskOf(names))),
  };
}

function taskOfId(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf("/")));
}

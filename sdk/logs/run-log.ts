import type { Weighting } from "../core/bundle/names.ts";
import type { AnchorEvalError } from "../core/errors.ts";
import type { Attempt } from "./attempts.ts";

/** One item of one run, as its log has it. */
export interface LoggedSample {
  readonly task: string;
  /** The item's number or name in its task. */
  readonly doc_id: number | string;
  /** Each time that the run asked it, in the order of the log; at least one. */
  readonly attempts: readonly Attempt[];
  /** Content hash of the item; null where the log doesn't hold the item. */
  readonly hash: string | null;
  /** The item's question, where it can be told apart from the answer. */
  readonly text: string | null;
}

/** The scores of one run on one task. */
export interface RunSamples {
  readonly task: string;
  readonly metric: string;
  readonly filter: string;
  /** In the order of the log. */
  readonly samples: readonly LoggedSample[];
  /** Remarks on how the log was read, without its name. */
  readonly remarks: readonly string[];
  /** Says that the log lacks the metric or filter that was chosen for all tasks, and its only one counts instead. */
  readonly absent?: AnchorEvalError;
}

/**
 * A run of a model on a task, as found in a harness's logs.
 * @typeParam Content - of `content`
 */
export interface RunLog<Content = unknown> {
  readonly file: string;
  readonly model: string;
  readonly task: string;
  /** When the run ended, as `sortableDate` has it: later dates sort later as text. Empty where the log doesn't say. */
  readonly date: string;
  /** The file that has the run's aggregates, where there is one. */
  readonly resultsFile: string | null;
  readonly results: RunResults | null;
  /** Why the run broke off before its end, in the log's words; absent where it came to its end, or nothing says. */
  readonly broken?: string;
  /** Groups of the task by the results of all runs found with this one, which may have been of the task alone. */
  readonly groups?: readonly string[];
  /** Facts of the model beside its name, by column of a table of models: `date`, `family`, `agent`, … */
  readonly about?: Readonly<Record<string, string>>;
  /** The part of the task that a document is in, such as its repository; parts count by their documents. @default no parts */
  readonly partOf?: (document: number | string) => string;
  /** Its documents have names that no other benchmark's have, so that they are known whatever a table calls their task. */
  readonly named?: boolean;
  /** Read already when the run was found, where a file has the runs of several models, or several files make a run. */
  readonly content?: Content;
  /** The log is of a task of anchors, and this is one of the tasks that have their documents. */
  readonly asked?: AskedDocuments;
}

/** The documents of one of the harness's tasks that a task of their anchors asked: their ids there, by the log's. */
export type AskedDocuments = ReadonlyMap<number, number | string>;

/** A harness's results for one task of a run; null and empty where it says nothing. */
export interface TaskResults {
  readonly version: string | null;
  readonly shots: number | null;
  /** The harness's own aggregates by `metric,filter`. */
  readonly aggregates: ReadonlyMap<string, number>;
  /** Aggregation of each metric, as the task's configuration names it. */
  readonly aggregations: ReadonlyMap<string, string>;
  readonly higherIsBetter: ReadonlyMap<string, boolean>;
  /** The lowest and the highest score of each metric, of logs that say it. */
  readonly bounds?: ReadonlyMap<string, readonly [low: number, high: number]>;
  /** In the order in which the harness applies them. */
  readonly filters: readonly string[];
  /** Runs of each item of which its score is the mean. */
  readonly epochs: number | null;
  /** Documents that the task has, and that this run was asked for (`--limit`, `--samples`). */
  readonly documents: { readonly all: number; readonly run: number } | null;
  /** The words that made the harness find the task: its file or folder, and its arguments; absent where none were needed, or the log doesn't say. */
  readonly call?: readonly string[];
  /** Of a task by the Python package: the documents of each task whose anchors it asked. */
  readonly anchored?: ReadonlyMap<string, AskedDocuments>;
}

/** The same of a group of tasks. */
export interface GroupResults {
  /** Names of its tasks and groups. */
  readonly children: readonly string[];
  /** Aggregates by `metric,filter`; empty for a group that only bundles tasks. */
  readonly aggregates: ReadonlyMap<string, number>;
  /** How the harness weights the tasks, where that is known; else `groupWeighting` finds it from the scores. */
  readonly weighting?: Weighting;
}

/** A harness's results for a run: its model, how it was asked, its own aggregates. */
export interface RunResults {
  /** The model's name; with the revision where that was not `main`. */
  readonly model: string | null;
  /** Everything that the model was made with, as the harness logs it. */
  readonly modelArguments: string | null;
  /** The harness's words on the model that it ran, beside its name and arguments: its checkpoint, its engine. */
  readonly modelFacts: ReadonlyMap<string, string>;
  readonly harnessVersion: string | null;
  /** Whether a chat template was applied; null where the file doesn't say. */
  readonly chatTemplate: boolean | null;
  /** Digest of the system instruction, "none", or null where the file doesn't say. */
  readonly systemInstruction: string | null;
  readonly fewshotAsMultiturn: boolean | null;
  /** Generation settings given on the command line. */
  readonly generation: string | null;
  /** The steps that make an answer of an item, as the harness logs them; null for one that has none. */
  readonly solver: string | null;
  /** The arguments that made the task, without a machine's; null where the file doesn't say. */
  readonly taskArguments: string | null;
  /** By name, with their arguments. */
  readonly scorers: ReadonlyMap<string, string>;
  readonly tasks: ReadonlyMap<string, TaskResults>;
  readonly groups: ReadonlyMap<string, GroupResults>;
}

/** A task of which a log tells nothing. */
export const UNTOLD_TASK: TaskResults = {
  version: null,
  shots: null,
  aggregates: new Map(),
  aggregations: new Map(),
  higherIsBetter: new Map(),
  filters: [],
  epochs: null,
  documents: null,
};

/** A run of which a log tells nothing. */
export const UNTOLD_RUN: RunResults = {
  model: null,
  modelArguments: null,
  modelFacts: new Map(),
  harnessVersion: null,
  chatTemplate: null,
  systemInstruction: null,
  fewshotAsMultiturn: null,
  generation: null,
  solver: null,
  taskArguments: null,
  scorers: new Map(),
  tasks: new Map(),
  groups: new Map(),
};

/** A model's name with its checkpoint's revision, which makes another model and is not in the harness's name for it. */
export function revisedName(name: string | null, revision: string | null): string | null {
  return name === null || revision === null || revision === "main" ? name : `${name}@${revision}`;
}

/**
 * The task of some tasks that a log's is: of the same name, or of that in a package, as Inspect names them.
 * @returns the log's own name where it is none of them
 * @example taskAmong(["gsm8k"], "inspect_evals/gsm8k") // "gsm8k"
 */
export function taskAmong(tasks: Iterable<string>, task: string): string {
  const all = [...tasks];
  return all.includes(task) ? task : (all.find((name) => task.endsWith(`/${name}`)) ?? task);
}

/** Newer runs first; of equals, that whose file's name sorts later. */
export function newerFirst(left: RunLog, right: RunLog): number {
  if (left.date !== right.date) return left.date < right.date ? 1 : -1;
  return left.file < right.file ? 1 : -1;
}

/** Values under the same key, in the order in which the keys appear. */
export function groupBy<T, K>(values: Iterable<T>, key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const name = key(value);
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}

/**
 * Remarks on several logs, tasks or models, what is said of several of them once.
 * @example groupedRemarks([{ who: "a", remarks: ["cut"] }, { who: "b", remarks: ["cut"] }]) // ["a and 1 more: cut"]
 */
export function groupedRemarks(
  remarked: readonly { readonly who: string; readonly remarks: readonly string[] }[],
): string[] {
  const named = new Map<string, Set<string>>();
  for (const { who, remarks } of remarked)
    for (const remark of remarks) named.set(remark, (named.get(remark) ?? new Set()).add(who));
  return [...named].map(([words, all]) => {
    const [first] = all;
    return `${first!}${all.size > 1 ? ` and ${all.size - 1} more` : ""}: ${words}`;
  });
}

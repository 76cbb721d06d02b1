import type { Weighting } from "../core/bundle/names.ts";
import type { AnchorEvalError } from "../core/errors.ts";
import type { Cost } from "./cost.ts";

/**
 * The state of one item in a run. `scored`: the harness gave it a score. `errored`: no answer of the model came back;
 * the harness may have scored that all the same. `unscored`: an answer, but no score. An item that isn't in the log was
 * not run.
 */
export type SampleState = "scored" | "errored" | "unscored";

/** One item of one run, as its log has it. */
export interface LoggedSample {
  readonly task: string;
  /** The item's number or name in its task. */
  readonly doc_id: number | string;
  readonly state: SampleState;
  /** The harness's own score on [0,1], for errored samples too; null where it gave none. */
  readonly score: number | null;
  /** Of a run that asked the item several times: the score of each, on [0,1], null for none; `score` is their mean. */
  readonly trials?: readonly (number | null)[];
  /** Cost of one answer, of several trials the mean; absent where the log doesn't say. */
  readonly cost?: Cost;
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
  readonly remarks: readonly string[];
  /** Says that the log lacks the metric or filter that was chosen for all tasks, and its only one counts instead. */
  readonly absent?: AnchorEvalError;
}

/** A run of a model on a task, as found in a harness's logs. */
export interface RunLog {
  readonly file: string;
  readonly model: string;
  readonly task: string;
  /** When the run ended; sorts as text. */
  readonly date: string;
  /** The file that has the run's aggregates, where there is one. */
  readonly resultsFile: string | null;
  readonly results: RunResults | null;
  /** The harness says that the run broke off before its end. */
  readonly broken?: true;
  /** Groups of the task by the results of all runs found with this one, which may have been of the task alone. */
  readonly groups?: readonly string[];
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
  /** In the order in which the harness applies them. */
  readonly filters: readonly string[];
  /** Runs of each item of which its score is the mean. */
  readonly epochs: number | null;
  /** Documents that the task has, and that this run was asked for (`--limit`, `--samples`). */
  readonly documents: { readonly all: number; readonly run: number } | null;
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
  harnessVersion: null,
  chatTemplate: null,
  systemInstruction: null,
  fewshotAsMultiturn: null,
  generation: null,
  solver: null,
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
  return all.includes(task) ? task : (all.find((own) => task.endsWith(`/${own}`)) ?? task);
}

/** Runs of the same model on the same task, newest first. */
export function groupRuns(logs: readonly RunLog[]): RunLog[][] {
  const runs = new Map<string, RunLog[]>();
  for (const log of logs) {
    const key = JSON.stringify([log.model, log.task]);
    runs.set(key, [...(runs.get(key) ?? []), log]);
  }
  const newer = (left: RunLog, right: RunLog): number =>
    left.date === right.date ? (left.file < right.file ? 1 : -1) : left.date < right.date ? 1 : -1;
  return [...runs.values()].map((group) => group.sort(newer));
}

/**
 * Remarks on several logs, tasks or models, what is said of several of them once.
 * @param found - of each, its remarks; one that begins with its name and a colon is told without it
 * @example groupedRemarks([{ who: "a", remarks: ["a: cut"] }, { who: "b", remarks: ["b: cut"] }]) // ["a and 1 more: cut"]
 */
export function groupedRemarks(
  found: readonly { readonly who: string; readonly remarks: readonly string[] }[],
): string[] {
  const named = new Map<string, Set<string>>();
  for (const { who, remarks } of found)
    for (const remark of remarks) {
      const words = remark.startsWith(`${who}: `) ? remark.slice(who.length + 2) : remark;
      named.set(words, (named.get(words) ?? new Set()).add(who));
    }
  return [...named].map(([words, all]) => {
    const [first] = all;
    return `${first!}${all.size > 1 ? ` and ${all.size - 1} more` : ""}: ${words}`;
  });
}

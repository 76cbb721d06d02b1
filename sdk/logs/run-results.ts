import type { Weighting } from "../core/bundle/names.ts";

/** What a harness says of one task of a run; null and empty where it doesn't. */
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
  /** Documents that the task has, and that this run was asked for (`--limit`, `--samples`). */
  readonly documents: { readonly all: number; readonly run: number } | null;
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

/** What a harness says of a run: its model, how it was asked, its own aggregates. */
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

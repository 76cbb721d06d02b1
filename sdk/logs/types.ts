import type { RunResults } from "./run-results.ts";

/**
 * What became of one item in a run. `scored`: the harness gave it a score. `errored`: no answer of the model came back;
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
  /** What a reader should know of the run. */
  readonly remarks: readonly string[];
  /** All metrics and filters that the log has. */
  readonly metrics: readonly string[];
  readonly filters: readonly string[];
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
}

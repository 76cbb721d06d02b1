/**
 * What became of one item in a run. `scored`: the harness gave it a score. `errored`: no answer of the model came back;
 * the harness may have scored that all the same. `unscored`: an answer, but no score. An item that isn't in the log was
 * not run.
 */
export type SampleState = "scored" | "errored" | "unscored";

/** One item of one run, as its log has it. */
export interface LoggedSample {
  readonly task: string;
  readonly doc_id: number;
  readonly state: SampleState;
  /** The harness's own score on [0,1], for errored samples too; null where it gave none. */
  readonly score: number | null;
  /** Content hash of the item; null where the log doesn't hold the item. */
  readonly hash: string | null;
  /** The item's question, where it can be told apart from the answer. */
  readonly text: string | null;
}

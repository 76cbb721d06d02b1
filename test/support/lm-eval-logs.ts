// Plain JavaScript, as the example that it belongs to runs without a build.
import * as untyped from "../../examples/lm-eval/write-logs.js";

/** One document of a task, and the score that a model got for it. */
export interface LoggedDocument {
  readonly id: number;
  readonly question: string;
  /** null = the harness gave none. */
  readonly score: number | null;
  /** Every response is empty, as where an API refused. */
  readonly empty?: boolean;
}

/** One run of a model, as the harness would have logged it. */
export interface LoggedRun {
  readonly model: string;
  /** For example `2026-01-01T00-00-00.000000`. */
  readonly date: string;
  /** Documents by task; `all` is how many the task has, where this run asked fewer. */
  readonly tasks: Readonly<Record<string, { readonly documents: readonly LoggedDocument[]; readonly all?: number }>>;
  readonly groups?: Readonly<
    Record<string, { readonly tasks: readonly string[]; readonly weighting: "items" | "subscenarios" }>
  >;
  readonly metric?: string;
  readonly filter?: string;
  readonly shots?: number;
  readonly chatTemplate?: boolean;
  readonly taskVersion?: number | string;
  /** The harness's version. */
  readonly version?: string;
  /** More model arguments, for example `,revision=step1000`. */
  readonly modelArguments?: string;
  /** The line format before lm-eval 0.4.7. */
  readonly legacy?: boolean;
}

/** The generator of the example in examples/lm-eval, typed. */
export const { writeLogs, documentsOf } = untyped as {
  /** @returns the model's folder */
  writeLogs(this: void, folder: string, run: LoggedRun): string;
  documentsOf(
    this: void,
    items: readonly { readonly item_id: string; readonly text?: string }[],
    scoreAt: (index: number) => number,
  ): LoggedDocument[];
};

import { lookUp } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { UNTOLD_RUN, UNTOLD_TASK, type RunResults } from "./run-log.ts";

/** How a run asked and scored one task. null = the log doesn't say. */
export interface TaskProtocol extends Pick<
  RunResults,
  | "chatTemplate"
  | "systemInstruction"
  | "fewshotAsMultiturn"
  | "taskArguments"
  | "solver"
  | "generation"
  | "harnessVersion"
> {
  readonly taskVersion: string | null;
  readonly shots: number | null;
  /** Runs of each item of which its score is the mean. */
  readonly epochs: number | null;
  readonly metric: string;
  readonly filter: string;
  /** The scorer of the metric with its arguments, such as the model that judges. */
  readonly scorer: string | null;
  /** The words that made the harness find the task, as a JSON list: `["quiz.py@sums","-T","level=2"]`, `["--include_path","tasks"]`. */
  readonly taskCall: string | null;
}

/** Fields in which runs must agree for their scores to be comparable; the others are only told. */
export const COMPARED_FIELDS = [
  "taskVersion",
  "shots",
  "chatTemplate",
  "systemInstruction",
  "fewshotAsMultiturn",
  "taskArguments",
  "solver",
  "epochs",
  "metric",
  "filter",
  "scorer",
] as const satisfies readonly (keyof TaskProtocol)[];

/** Fields in their usual words. */
export const PROTOCOL_WORDS: Readonly<Record<keyof TaskProtocol, string>> = {
  taskVersion: "task version",
  shots: "few-shot examples",
  chatTemplate: "chat template",
  systemInstruction: "system instruction",
  fewshotAsMultiturn: "few-shot examples as turns",
  taskArguments: "task arguments",
  solver: "solver",
  epochs: "epochs",
  metric: "metric",
  filter: "filter",
  scorer: "scorer",
  generation: "generation settings",
  taskCall: "call of the task",
  harnessVersion: "harness version",
};

/** The protocol of a task in a run; a run without a results file only tells metric and filter. */
export function taskProtocol(
  results: RunResults | null,
  { task, metric, filter }: { task: string; metric: string; filter: string },
): TaskProtocol {
  const { version: taskVersion, shots, epochs, call } = results?.tasks.get(task) ?? UNTOLD_TASK;
  const run = results ?? UNTOLD_RUN;
  const { chatTemplate, systemInstruction, fewshotAsMultiturn, taskArguments, solver, generation, harnessVersion } =
    run;
  return {
    ...{ taskVersion, shots, epochs, metric, filter },
    ...{ chatTemplate, systemInstruction, taskArguments, solver, generation, harnessVersion },
    scorer: scorerOf(run.scorers, metric),
    taskCall: call === undefined ? null : JSON.stringify(call),
    // Turns only exist in a chat with examples: the harness logs its default for others too.
    fewshotAsMultiturn: chatTemplate === true && shots !== 0 ? fewshotAsMultiturn : null,
  };
}

/** A metric is called as its scorer, or `scorer/value`; a scorer that a task has twice has a number behind its name. */
function scorerOf(scorers: RunResults["scorers"], metric: string): string | null {
  const [name] = metric.split("/") as [string];
  return scorers.get(name) ?? scorers.get(name.replace(/\d+$/, "")) ?? null;
}

/** Values for a bundle's manifest: one for all tasks where they agree, else `field/task`; `mixed` where runs differ. */
export function flatProtocol(
  harness: string,
  runs: ReadonlyMap<string, readonly TaskProtocol[]>,
): Record<string, string | number | boolean> {
  const flat: Record<string, string | number | boolean> = { harness };
  for (const field of Object.keys(PROTOCOL_WORDS) as (keyof TaskProtocol)[]) {
    const byTask = new Map<string, string | number | boolean>();
    for (const [task, protocols] of runs) {
      const values = new Set(protocols.map((protocol) => protocol[field]).filter((value) => value !== null));
      if (values.size > 0) byTask.set(task, values.size === 1 ? [...values][0]! : "mixed");
    }
    const distinct = new Set(byTask.values());
    if (distinct.size === 1) flat[field] = [...distinct][0]!;
    else for (const [task, value] of byTask) flat[`${field}/${task}`] = value;
  }
  return flat;
}

/**
 * A setting that the runs of a task had in common, by a manifest's protocol.
 * @returns undefined where nothing says it, or they differed
 * @example fittedValue({ "shots/gsm8k": 5 }, "shots", "gsm8k") // 5
 */
export function fittedValue(
  protocol: Readonly<Record<string, string | number | boolean>>,
  field: keyof TaskProtocol,
  task: string,
): string | number | boolean | undefined {
  const value = lookUp(protocol, `${field}/${task}`) ?? lookUp(protocol, field);
  return value === "mixed" ? undefined : value;
}

/**
 * The words by which the runs of a task made the harness find it, by a manifest's protocol.
 * @param harness - that is to find it: another's words would be none
 * @returns null where nothing says them, or they differed
 * @throws AnchorEvalError `bundle_invalid` for what is no list of words
 * @example fittedCall({ harness: "inspect", taskCall: '["quiz.py@sums","-T","level=2"]' }, "inspect", "sums") // ["quiz.py@sums", "-T", "level=2"]
 */
export function fittedCall(
  protocol: Readonly<Record<string, string | number | boolean>>,
  harness: string,
  task: string,
): readonly string[] | null {
  if (protocol["harness"] !== harness) return null;
  const call = fittedValue(protocol, "taskCall", task);
  if (call === undefined) return null;
  let words: unknown;
  try {
    words = JSON.parse(String(call));
  } catch {
    // no list
  }
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw new AnchorEvalError("bundle_invalid", `the protocol's taskCall is no JSON list of words: ${String(call)}`);
}

/** In what a run's protocol differs from the one in a bundle's manifest; fields that either doesn't tell are left out. */
export function protocolDifferences(
  manifest: Readonly<Record<string, string | number | boolean>>,
  task: string,
  protocol: TaskProtocol,
): { field: (typeof COMPARED_FIELDS)[number]; bundle: string; run: string }[] {
  return COMPARED_FIELDS.flatMap((field) => {
    const expected = fittedValue(manifest, field, task);
    const actual = protocol[field];
    if (expected === undefined || actual === null || String(expected) === String(actual)) return [];
    return [{ field, bundle: String(expected), run: String(actual) }];
  });
}

/**
 * How a harness finds a scenario's items: `doc_id`, by their anchors' task and doc_id; `source`, not at all, since the ids
 * are the source's own and nobody has verified what they number; any other word, by that field of the task's documents,
 * whose value is the item id.
 * @param manifest - a bundle's protocol: its `ids/<scenario>` or `ids`; where it has neither, `doc_id`
 * @example idScheme({ ids: "question_id" }, "mmlu-pro") // "question_id"
 */
export function idScheme(manifest: Readonly<Record<string, string | number | boolean>>, scenario: string): string {
  return String(manifest[`ids/${scenario}`] ?? manifest["ids"] ?? "doc_id");
}

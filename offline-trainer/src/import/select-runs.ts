import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { Choose } from "anchoreval/internal/logs/choices";
import {
  COMPARED_FIELDS,
  flatProtocol,
  PROTOCOL_WORDS,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "anchoreval/internal/logs/protocol";
import { groupedRemarks, groupRuns, type RunLog } from "anchoreval/internal/logs/run-log";
import { type Harness, readChosen } from "anchoreval/internal/node/harnesses";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import { counted } from "anchoreval/internal/words/figures";
import { type ContentTable, groupBy, runScores, type RunScores } from "./run-scores.ts";

/** Which of several runs of a model on a task count. */
export type DuplicatePolicy = "newest" | "mean" | "error";

interface SelectedRuns {
  /** Runs to read: one for each model and task, or all of them where they are averaged. */
  readonly chosen: readonly RunLog[];
  readonly dropped: readonly RunLog[];
  readonly warnings: readonly string[];
}

/**
 * Chooses among several runs of the same model on the same task.
 * @throws AnchorEvalError `invalid_data` naming the runs, under the policy `error`
 */
export function selectRuns(logs: readonly RunLog[], policy: DuplicatePolicy): SelectedRuns {
  const chosen: RunLog[] = [];
  const dropped: RunLog[] = [];
  const told: { who: string; remarks: string[] }[] = [];
  for (const found of groupRuns(logs)) {
    if (policy === "error" && found.length > 1) throw severalRuns(found);
    const runs = policy === "newest" ? wholeFirst(found) : found;
    const [newest, ...older] = runs;
    chosen.push(newest!);
    if (older.length === 0) continue;
    const who = `${newest!.model}, ${newest!.task}`;
    const tell = (remark: string, counts = ""): void => void told.push({ who: who + counts, remarks: [remark] });
    if (newest !== found[0])
      tell(
        "the newest run asked a part of the documents, an older one more; the older counts: a run on a part replaces none on more",
        ` (${documents(found[0]!)} of ${found[0]!.results!.tasks.get(newest!.task)!.documents!.all}, before ${documents(newest!)})`,
      );
    const otherwise = older.find((run) => run.results?.modelArguments !== newest!.results?.modelArguments);
    if (otherwise)
      tell(
        `its runs were made with different arguments (${newest!.results?.modelArguments ?? "unknown"}; ${otherwise.results?.modelArguments ?? "unknown"}): if these are different models, import them apart, with --model-name`,
      );
    if (policy === "mean") chosen.push(...older);
    else {
      dropped.push(...older);
      const unlike = older.map((run) => differences(newest!, run)).find((found) => found.length > 0);
      if (unlike)
        tell(
          `an older run was not made like the newest: ${unlike.join("; ")}; the newest counts (--on-duplicate error refuses several runs)`,
        );
      const larger = older.find((run) => documents(run) > documents(newest!));
      if (larger)
        tell(
          "the newest run has fewer documents than an older one; the newest counts",
          ` (${documents(newest!)}, before ${documents(larger)})`,
        );
    }
  }
  return { chosen, dropped, warnings: groupedRemarks(told) };
}

/** Runs with those on the most documents first, where the newest is on a part of the task's documents. */
function wholeFirst(runs: readonly RunLog[]): readonly RunLog[] {
  const [newest, ...older] = runs;
  const counts = newest!.results?.tasks.get(newest!.task)?.documents;
  if (!counts || counts.run >= counts.all) return runs;
  const most = older.reduce((best, run) => (documents(run) > documents(best) ? run : best), newest!);
  return [most, ...runs.filter((run) => run !== most)];
}

/** In what two runs of a task were asked otherwise, as far as both say. */
function differences(newest: RunLog, older: RunLog): string[] {
  const protocolOf = ({ task, results }: RunLog): TaskProtocol =>
    taskProtocol(results, { task, metric: "", filter: "" });
  const before = flatProtocol("", new Map([[older.task, [protocolOf(older)]]]));
  return protocolDifferences(before, newest.task, protocolOf(newest)).map(
    ({ field, bundle, run }) => `${PROTOCOL_WORDS[field]} ${bundle}, now ${run}`,
  );
}

function documents(log: RunLog): number {
  return log.results?.tasks.get(log.task)?.documents?.run ?? NaN;
}

function severalRuns(runs: readonly RunLog[]): AnchorEvalError {
  const { model, task } = runs[0]!;
  return new AnchorEvalError(
    "invalid_data",
    `${model} has ${runs.length} runs on ${task}: ${runs.map((run) => run.file).join(", ")}; --on-duplicate newest or mean says what counts`,
    { issues: runs.map(({ file }) => ({ path: [file], code: "duplicate", message: `a run of ${model} on ${task}` })) },
  );
}

export interface ReadOptions extends ScaleOptions {
  readonly metric: Choose;
  readonly filter: Choose;
  readonly progress?: (done: number, total: number) => void;
}

/** Reads the logs; where metrics or filters are to be chosen, says so for all tasks at once. */
export async function readRuns(
  harness: Harness,
  logs: readonly RunLog[],
  contents: ContentTable,
  options: ReadOptions,
): Promise<RunScores[]> {
  const runs: RunScores[] = [];
  const seen = new Set<string>();
  const choices: AnchorEvalError[] = [];
  for (const log of logs) {
    if (choices.length > 0 && seen.has(log.task)) continue;
    seen.add(log.task);
    try {
      const samples = await readChosen(harness, log, options);
      runs.push(runScores(log, samples, taskProtocol(log.results, samples), contents));
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || !CHOICE_CODES.has(error.code)) throw error;
      choices.push(error);
    }
    options.progress?.(runs.length, logs.length);
  }
  const [first, ...more] = choices;
  if (!first) {
    // A choice for all tasks that none has is a slip.
    if (runs.length > 0 && runs.every(({ absent }) => absent)) throw runs[0]!.absent!;
    return runs;
  }
  if (more.length === 0) throw first;
  throw new AnchorEvalError(
    first.code,
    `${choices.length} tasks need another choice of what is their score (--metric TASK=M, --filter TASK=F):\n${choiceLines(choices.map(({ message }) => message))}`,
    { cause: first },
  );
}

/** The messages a line each; what all end with, behind a semicolon, is said once. */
function choiceLines(messages: readonly string[]): string {
  const hints = new Set(messages.map((message) => /; (only scores[^;]*)$/.exec(message)?.[1]));
  const [hint] = hints;
  if (hints.size > 1 || hint === undefined) return messages.map((message) => `  ${message}`).join("\n");
  return [...messages.map((message) => `  ${message.slice(0, -hint.length - 2)}`), hint].join("\n");
}

const CHOICE_CODES: ReadonlySet<string> = new Set(["invalid_option", "unsupported"]);

/** A field in which the runs on a task differ: who has which value. */
export interface ProtocolDifference {
  readonly task: string;
  readonly field: (typeof COMPARED_FIELDS)[number];
  readonly values: readonly { readonly value: string; readonly models: readonly string[] }[];
}

/** Fields in which the runs on the same task differ. A field that a log doesn't hold is no difference. */
export function findProtocolDifferences(runs: readonly RunScores[]): ProtocolDifference[] {
  const differences: ProtocolDifference[] = [];
  for (const [task, ofTask] of groupBy(runs, (run) => run.log.task))
    for (const field of COMPARED_FIELDS) {
      const known = ofTask.filter((run) => run.protocol[field] !== null);
      const values = groupBy(known, (run) => shown(run.protocol[field]!));
      if (values.size < 2) continue;
      differences.push({
        task,
        field,
        values: [...values]
          .map(([value, same]) => ({ value, models: [...new Set(same.map((run) => run.log.model))] }))
          .sort((left, right) => right.models.length - left.models.length),
      });
    }
  return differences;
}

/** @throws AnchorEvalError `invalid_data` with a table of who differs, where runs do */
export function refuseMixedProtocols(differences: readonly ProtocolDifference[]): void {
  if (differences.length === 0) return;
  throw new AnchorEvalError(
    "invalid_data",
    `the runs were not made alike, so their scores don't compare; leave the odd ones out, or give --allow-mixed:\n${differenceTable(differences)}`,
    {
      issues: differences.map(({ task, field, values }) => ({
        path: [task, field],
        code: "mixed_protocol",
        message: values.map(({ value, models }) => `${value}: ${named(models)}`).join("; "),
      })),
    },
  );
}

const MOST_LINES = 20;

/** Lines `task, field: value: models`; tasks that differ in the same way share a line. */
export function differenceTable(differences: readonly ProtocolDifference[]): string {
  const alike = groupBy(differences, ({ field, values }) => JSON.stringify([field, values]));
  const lines = [...alike.values()].flatMap((group) => {
    const [{ field, values }] = group as [ProtocolDifference];
    const tasks =
      group.length === 1 ? group[0]!.task : `${group[0]!.task} and ${counted(group.length - 1, "more task")}`;
    return [
      `  ${tasks}: ${PROTOCOL_WORDS[field]}`,
      ...values.map(({ value, models }) => `    ${value.padEnd(16)} ${named(models)}`),
    ];
  });
  return [...lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? ["  …"] : [])].join("\n");
}

function named(models: readonly string[]): string {
  const few = models.slice(0, 3).join(", ");
  return models.length > 3 ? `${few} and ${models.length - 3} more` : few;
}

function shown(value: string | number | boolean): string {
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

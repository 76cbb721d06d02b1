import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { ErrorPolicy } from "anchoreval/internal/logs/attempts";
import type { Choose } from "anchoreval/internal/logs/choices";
import { chooseRuns, shardOwner } from "anchoreval/internal/logs/choose-runs";
import { COMPARED_FIELDS, PROTOCOL_WORDS, taskProtocol } from "anchoreval/internal/logs/protocol";
import { groupBy, groupedRemarks, newerFirst, type RunLog } from "anchoreval/internal/logs/run-log";
import { type Harness, readChosen } from "anchoreval/internal/node/harnesses";
import type { ScaleOptions } from "anchoreval/internal/tables/score-reader";
import { counted } from "anchoreval/internal/words/figures";
import { type ContentTable, onDocuments, runScores, type RunScores } from "./run-scores.ts";

/** Which of several runs of a model on a task count. */
export type DuplicatePolicy = "newest" | "mean" | "error";

export interface ReadOptions extends ScaleOptions {
  readonly metric: Choose;
  readonly filter: Choose;
  readonly onDuplicate: DuplicatePolicy;
  readonly errors: ErrorPolicy;
  readonly progress?: (done: number, total: number) => void;
}

interface SelectedRuns {
  /** The runs that count: one for each model and task, or several on different documents, or all where they are averaged. */
  readonly runs: readonly RunScores[];
  readonly dropped: readonly RunLog[];
  readonly warnings: readonly string[];
}

/**
 * Reads the logs, and chooses among several runs of the same model on the same task. Where metrics or filters are to be
 * chosen, says so for all tasks at once.
 * @throws AnchorEvalError as the harness's reader; `invalid_data` where no run has a score, and naming the runs where there
 * are several, under the policy `error`
 */
export async function selectRuns(
  harness: Harness,
  logs: readonly RunLog[],
  contents: ContentTable,
  options: ReadOptions,
): Promise<SelectedRuns> {
  const { onDuplicate, errors, progress } = options;
  const seen = new Set<string>();
  const choices: AnchorEvalError[] = [];
  let done = 0;
  const readRun = async (log: RunLog): Promise<RunScores[]> => {
    if (choices.length > 0 && seen.has(log.task)) return [];
    try {
      const samples = await readChosen(harness, log, options);
      const run = runScores(log, samples, { protocol: taskProtocol(log.results, samples), contents, errors });
      // A run without a score may have no metric either, and tells nothing of its task.
      if (run.counts) seen.add(log.task);
      return [run];
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || !CHOICE_CODES.has(error.code)) throw error;
      seen.add(log.task);
      choices.push(error);
      return [];
    } finally {
      progress?.(++done, logs.length);
    }
  };
  const runs: RunScores[] = [];
  const dropped: RunLog[] = [];
  const remarks: { who: string; remarks: string[] }[] = [];
  for (const group of groupBy(logs, ({ model, task }) => JSON.stringify([model, task])).values()) {
    const read: RunScores[] = [];
    for (const log of group) read.push(...(await readRun(log)));
    const choice = chooseRuns(read);
    if (onDuplicate === "error" && choice.dropped.some(({ counts }) => counts)) throw severalRuns(group);
    const isMean = onDuplicate === "mean";
    // Trials are numbered from the newest, whatever the files are called.
    const all = read.filter(({ counts }) => counts).toSorted((left, right) => newerFirst(left.log, right.log));
    const counts = shardOwner(choice.parts);
    runs.push(...(isMean ? all : choice.parts.map((part) => onDocuments(part, (id) => counts(part, id)))));
    if (!isMean) dropped.push(...choice.dropped.map(({ log }) => log));
    const { model, task } = group[0]!;
    for (const { words, counts: figures = "", always = false } of choice.remarks)
      if (always || !isMean) remarks.push({ who: `${model}, ${task}${figures}`, remarks: [words] });
  }
  refuseChoices(choices);
  const warnings = groupedRemarks(remarks);
  if (runs.length === 0) throw new AnchorEvalError("invalid_data", `no run has a score:\n${warnings.map((words) => `  ${words}`).join("\n")}`); // prettier-ignore
  // A choice for all tasks that none has is a slip.
  if (runs.every(({ absent }) => absent)) throw runs[0]!.absent!;
  return { runs, dropped, warnings };
}

function severalRuns(runs: readonly RunLog[]): AnchorEvalError {
  const { model, task } = runs[0]!;
  return new AnchorEvalError(
    "invalid_data",
    `${model} has ${runs.length} runs on ${task}: ${runs.map((run) => run.file).join(", ")}; --on-duplicate newest or mean says what counts`,
    { issues: runs.map(({ file }) => ({ path: [file], code: "duplicate", message: `a run of ${model} on ${task}` })) },
  );
}

/** Says for all tasks at once that a metric or filter is to be chosen. */
function refuseChoices([first, ...more]: readonly AnchorEvalError[]): void {
  if (!first) return;
  if (more.length === 0) throw first;
  const messages = [first, ...more].map(({ message }) => message);
  throw new AnchorEvalError(
    first.code,
    `${messages.length} tasks need another choice of what is their score (--metric TASK=M, --filter TASK=F):\n${choiceLines(messages)}`,
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

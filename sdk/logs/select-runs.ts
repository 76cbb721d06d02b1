import { AnchorEvalError } from "../core/errors.ts";
import type { ErrorPolicy } from "./attempts.ts";
import { isAbsentChoice } from "./choices.ts";
import { type ChoiceRemark, chooseRuns, type ReadRun, readRun } from "./choose-runs.ts";
import { groupBy, newerFirst, type RunLog, type RunSamples } from "./run-log.ts";

/** Which of several runs of a model on a task count. */
export type DuplicatePolicy = "newest" | "mean" | "error";

interface SelectOptions<R> {
  /**
   * Reads the samples of a log.
   * @param special - metric and filter are those chosen for its task, not for all
   */
  readonly read: (log: RunLog, special: boolean) => Promise<RunSamples>;
  /** Makes what is held of a run that counts: of boards of many models less than their logs say. */
  readonly keep: (run: ReadRun) => R;
  readonly errors: ErrorPolicy;
  /** @default newest */
  readonly onDuplicate?: DuplicatePolicy;
  /** The task that a log is of. @default as the log calls it */
  readonly taskOf?: (log: RunLog) => string;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

interface SelectedRuns<R> {
  /** The runs that count: one for each model and task, or several on different documents, or all where they are averaged. */
  readonly runs: readonly R[];
  readonly dropped: readonly RunLog[];
  /** Remarks on the choice, each with one of the runs that it was among. */
  readonly remarks: readonly (ChoiceRemark & { readonly log: RunLog })[];
}

/**
 * Reads logs, and chooses among several runs of the same model on the same task: one way for all that reads logs. Where
 * metrics or filters are to be chosen, says so for all tasks at once.
 * @throws AnchorEvalError as `read`; `invalid_data` naming the runs where there are several, under the policy `error`
 */
export async function selectRuns<R extends Pick<RunSamples, "absent">>(
  logs: readonly RunLog[],
  { read, keep, errors, onDuplicate = "newest", taskOf = ({ task }) => task, progress }: SelectOptions<R>,
): Promise<SelectedRuns<R>> {
  const seen = new Set<string>();
  const choices: AnchorEvalError[] = [];
  const readOne = async (log: RunLog): Promise<ReadRun[]> => {
    if (choices.length > 0 && seen.has(log.task)) return [];
    try {
      const run = readRun(log, await readChosen(log, read), errors);
      // A run without a score may have no metric either, and tells nothing of its task.
      if (run.counts) seen.add(log.task);
      return [run];
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || !CHOICE_CODES.has(error.code)) throw error;
      seen.add(log.task);
      choices.push(error);
      return [];
    }
  };
  let done = 0;
  const [runs, dropped]: [R[], RunLog[]] = [[], []];
  const remarks: (ChoiceRemark & { log: RunLog })[] = [];
  for (const group of groupBy(logs, (log) => JSON.stringify([log.model, taskOf(log)])).values()) {
    const all: ReadRun[] = [];
    for (const log of group) {
      all.push(...(await readOne(log)));
      progress?.(++done, logs.length);
    }
    const choice = chooseRuns(all, errors);
    if (onDuplicate === "error" && choice.dropped.some(({ counts }) => counts)) throw severalRuns(group);
    const isMean = onDuplicate === "mean";
    // Trials are numbered from the newest, whatever the files are called.
    const whole = all.filter(({ counts }) => counts).toSorted((left, right) => newerFirst(left.log, right.log));
    const copies = isMean ? copiesAmong(whole) : [];
    runs.push(...(isMean ? whole.filter((run) => !copies.includes(run)) : choice.parts).map(keep));
    dropped.push(...(isMean ? copies : choice.dropped).map(({ log }) => log));
    for (const { log } of copies) remarks.push({ words: "a copy of another log of it is no trial, and left out", log });
    for (const remark of choice.remarks) if (remark.always || !isMean) remarks.push({ ...remark, log: group[0]! });
  }
  refuseChoices(choices);
  // A choice for all tasks that none has is a slip.
  const [first] = runs;
  if (first?.absent && runs.every(({ absent }) => absent)) throw first.absent;
  return { runs, dropped, remarks };
}

/** Runs that ended at one instant with another, which both logs tell, with the same answers: trials would have no variance. */
function copiesAmong(runs: readonly ReadRun[]): ReadRun[] {
  const seen = new Set<string>();
  return runs.filter(({ log: { date }, samples }) => {
    const key = JSON.stringify([date, samples.map(({ doc_id: id, hash, attempts }) => [id, hash, attempts])]);
    const isCopy = date !== "" && seen.has(key);
    seen.add(key);
    return isCopy;
  });
}

/** A choice for all tasks needn't be in a log: then its only metric and filter count, and `absent` says so. */
async function readChosen(log: RunLog, read: SelectOptions<unknown>["read"]): Promise<RunSamples> {
  try {
    return await read(log, false);
  } catch (absent) {
    if (!isAbsentChoice(absent)) throw absent;
    const samples = await read(log, true).catch(() => null);
    if (samples === null) throw absent;
    return { ...samples, absent };
  }
}

function severalRuns(runs: readonly RunLog[]): AnchorEvalError {
  const { model, task } = runs[0]!;
  return new AnchorEvalError(
    "invalid_data",
    `${model} has ${runs.length} runs on ${task}: ${runs.map((run) => run.file).join(", ")}; \`onDuplicate\` newest or mean says what counts`,
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
    `${messages.length} tasks need another choice of what is their score (\`metric\` TASK=M, \`filter\` TASK=F):\n${choiceLines(messages)}`,
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

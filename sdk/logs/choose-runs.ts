import {
  type AttemptCounts,
  countAttempts,
  countedScores,
  type ErrorPolicy,
  isAnswered,
  meanScore,
  tally,
} from "./attempts.ts";
import { COMPARED_FIELDS, PROTOCOL_WORDS, type TaskProtocol, taskProtocol } from "./protocol.ts";
import { type LoggedSample, newerFirst, type RunLog, type RunSamples } from "./run-log.ts";

/** A run of a model on a task that was read, and may count. */
export interface ReadRun extends RunSamples {
  readonly log: RunLog;
  readonly protocol: TaskProtocol;
  /** What became of all its attempts. */
  readonly attempts: AttemptCounts;
  /** Whether anything of it counts: a score that the harness gave, or one that `--errors` makes. */
  readonly counts: boolean;
}

export function readRun(log: RunLog, read: RunSamples, errors: ErrorPolicy): ReadRun {
  return {
    ...read,
    log,
    protocol: taskProtocol(log.results, { ...read, task: log.task }),
    attempts: countAttempts(read.samples),
    // Without any value a run has no metric, and nothing tells what it would have been scored by.
    counts: read.metric !== "" && read.samples.some((sample) => itemScore(sample, errors) !== null),
  };
}

/** The score of an item in a run: the mean of its attempts that count; null where none does. */
export function itemScore({ attempts }: LoggedSample, errors: ErrorPolicy): number | null {
  return meanScore(countedScores(attempts, errors));
}

/** Which runs of a model on a task count. */
interface ChosenRuns {
  /** The run that counts, and those on other documents that were asked alike: its shards, each with the documents that count. */
  readonly parts: readonly ReadRun[];
  readonly dropped: readonly ReadRun[];
  /** Remarks on the choice. */
  readonly remarks: readonly ChoiceRemark[];
}

export interface ChoiceRemark {
  readonly words: string;
  /** Figures of this choice alone. */
  readonly counts?: string;
  /** It holds where all runs count, too. */
  readonly always?: true;
}

/** Documents with an attempt that was answered and scored, by their ids as text: the score. */
type Answers = ReadonlyMap<string, number>;

/**
 * Chooses among the runs of one model on one task: that with the most documents answered and scored, the newest among equals.
 * Runs that were asked alike on different documents are shards of one. Runs of which
 * nothing counts, as of a harness that broke off before its first sample, are passed over.
 * @param runs - in any order; where nothing of any counts, none is chosen
 */
export function chooseRuns(runs: readonly ReadRun[], errors: ErrorPolicy): ChosenRuns {
  const empty = runs.filter(({ counts }) => !counts);
  const whole = runs.filter(({ counts }) => counts).toSorted((left, right) => newerFirst(left.log, right.log));
  const passed = empty.map(({ log, attempts }) => ({ words: emptyWords(log, attempts), always: true as const }));
  const [newest] = whole;
  if (newest === undefined || whole.length === 1) return { parts: whole, dropped: empty, remarks: passed };
  const answers = new Map(whole.map((run) => [run, answersOf(run, errors)]));
  const sizeOf = (shards: readonly ReadRun[]): number => shards.reduce((sum, run) => sum + answers.get(run)!.size, 0);
  const parts = whole
    .map((run) => shardsWith(run, whole, answers))
    .reduce((best, other) => (sizeOf(other) > sizeOf(best) ? other : best));
  const dropped = whole.filter((run) => !parts.includes(run));
  const remarks: ChoiceRemark[] = [...passed];
  if (parts.length > 1)
    remarks.push({ words: `${parts.length} runs on different documents count as one${partsWords(parts)}` });
  if (!parts.includes(newest))
    remarks.push({
      words: "the newest run has fewer answers than an older one, which counts",
      counts: ` (${answers.get(newest)!.size}, before ${sizeOf(parts)})`,
    });
  remarks.push(...droppedRemarks(parts[0]!, dropped, answers));
  return { parts: onTheirDocuments(parts, answers), dropped: [...dropped, ...empty], remarks };
}

function answersOf({ samples }: ReadRun, errors: ErrorPolicy): Answers {
  return new Map(
    samples.flatMap((sample) => {
      const score = isAnswered(sample) ? itemScore(sample, errors) : null;
      return score === null ? [] : [[String(sample.doc_id), score] as const];
    }),
  );
}

/** A run with those, newest first, that were asked alike and have none of its documents, nor of each other's. */
function shardsWith(run: ReadRun, runs: readonly ReadRun[], answers: ReadonlyMap<ReadRun, Answers>): ReadRun[] {
  const parts = [run];
  const taken = new Set(answers.get(run)!.keys());
  for (const other of runs) {
    const documents = [...answers.get(other)!.keys()];
    if (other === run || documents.some((id) => taken.has(id)) || !isAskedAlike(run, other)) continue;
    parts.push(other);
    for (const id of documents) taken.add(id);
  }
  return parts.toSorted((left, right) => newerFirst(left.log, right.log));
}

/** Each document in one shard: that where it was answered, else the first that is asked for it. */
function onTheirDocuments(parts: readonly ReadRun[], answers: ReadonlyMap<ReadRun, Answers>): readonly ReadRun[] {
  if (parts.length === 1) return parts;
  const owners = new Map(parts.flatMap((part) => Array.from(answers.get(part)!.keys(), (id) => [id, part] as const)));
  for (const part of parts)
    for (const { doc_id } of part.samples) if (!owners.has(String(doc_id))) owners.set(String(doc_id), part);
  return parts.map((part) => ({
    ...part,
    samples: part.samples.filter(({ doc_id }) => owners.get(String(doc_id)) === part),
  }));
}

/** Why a run without a score has none: the log's own reason, else its attempts'. */
function emptyWords(log: RunLog, { failed, missing, reasons }: AttemptCounts): string {
  const why = [
    ...(log.broken === undefined ? [] : [log.broken]),
    ...(failed > 0 ? [`${failed} failed: ${tally(reasons)}`] : []),
    ...(missing > 0 ? [`${missing} without a score`] : []),
  ];
  return `a run without any score is passed over: ${why.length === 0 ? "it has no samples" : why.join("; ")}`;
}

/** In what two runs of a task were asked or scored otherwise, as far as both say. */
function runDifferences(
  run: ReadRun,
  other: ReadRun,
  fields: readonly (typeof COMPARED_FIELDS)[number][] = COMPARED_FIELDS,
): string[] {
  return fields.flatMap((field) => {
    const [here, there] = [run.protocol[field], other.protocol[field]];
    return here === null || there === null || here === there ? [] : [`${PROTOCOL_WORDS[field]} ${there}, here ${here}`];
  });
}

function isAskedAlike(run: ReadRun, other: ReadRun): boolean {
  return argumentsOf(run) === argumentsOf(other) && runDifferences(run, other, ALIKE_IN_SHARDS).length === 0;
}

/** A task's arguments may choose its documents, such as a subject's: shards may differ in them, which is said. */
const ALIKE_IN_SHARDS = COMPARED_FIELDS.filter((field) => field !== "taskArguments");

function partsWords(parts: readonly ReadRun[]): string {
  const passed = new Set(parts.flatMap(({ protocol }) => protocol.taskArguments ?? []));
  return passed.size < 2 ? "" : `, whose task arguments differ (${[...passed].sort().join("; ")})`;
}

function argumentsOf({ log }: ReadRun): string | null | undefined {
  return log.results?.modelArguments;
}

/** Remarks on runs that were left out: other settings, and other answers, which may be another model's. */
function droppedRemarks(
  best: ReadRun,
  dropped: readonly ReadRun[],
  answers: ReadonlyMap<ReadRun, Answers>,
): ChoiceRemark[] {
  const several = "if these are different models, import them apart, with --model-name";
  const remarks: ChoiceRemark[] = [];
  const other = dropped.find((run) => argumentsOf(run) !== argumentsOf(best));
  if (other)
    remarks.push({
      words: `its runs were made with different arguments (${argumentsOf(best) ?? "unknown"}; ${argumentsOf(other) ?? "unknown"}): ${several}`,
      always: true,
    });
  const unlike = dropped.map((run) => runDifferences(best, run)).find((found) => found.length > 0);
  if (unlike)
    remarks.push({ words: `a run that is left out was not made like the one that counts: ${unlike.join("; ")}` });
  const shares = dropped.map((run) => alike(answers.get(best)!, answers.get(run)!)).filter((share) => share < 1);
  if (shares.length > 0)
    remarks.push({
      words: `one run counts, and others under this name gave other answers: ${several}`,
      counts: ` (${dropped.length + 1} runs, ${Math.floor(100 * Math.min(...shares))} % of the answers alike)`,
    });
  return remarks;
}

/** Share of the documents that both runs answered whose scores are equal. */
function alike(left: Answers, right: Answers): number {
  let [both, equal] = [0, 0];
  for (const [id, score] of left) {
    const other = right.get(id);
    if (other === undefined) continue;
    both++;
    if (Math.abs(other - score) <= 1e-9) equal++; // the same sum in another order
  }
  return both === 0 ? 1 : equal / both;
}

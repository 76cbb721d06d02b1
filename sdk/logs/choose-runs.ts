import {
  type AttemptCounts,
  countAttempts,
  countedScores,
  type ErrorPolicy,
  isAnswered,
  meanScore,
  tally,
} from "./attempts.ts";
import { counted } from "../words/figures.ts";
import { COMPARED_FIELDS, PROTOCOL_WORDS, type TaskProtocol, taskProtocol } from "./protocol.ts";
import { type LoggedSample, newerFirst, type RunLog, type RunSamples } from "./run-log.ts";
import { documentNames, isNumberedAlike } from "./same-documents.ts";

/** A run of a model on a task that was read, and may count. */
export interface ReadRun extends RunSamples {
  readonly log: RunLog;
  readonly protocol: TaskProtocol;
  /** All its attempts by what became of them. */
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

/** Documents with an attempt that was answered and scored, by their names among the runs: the score. */
type Answers = ReadonlyMap<string, number>;

/**
 * Chooses among the runs of one model on one task: that with the most documents answered and scored, the newest among equals.
 * Runs that were asked alike on different documents are shards of one. Documents are the same by their content, by their ids
 * only where a log doesn't hold them. Runs of which nothing counts, as of a harness that broke off before its first sample,
 * are passed over.
 * @param runs - in any order; where nothing of any counts, none is chosen
 */
export function chooseRuns(runs: readonly ReadRun[], errors: ErrorPolicy): ChosenRuns {
  const empty = runs.filter(({ counts }) => !counts);
  const whole = runs.filter(({ counts }) => counts).toSorted((left, right) => newerFirst(left.log, right.log));
  const passed = empty.map(({ log, attempts }) => ({ words: emptyWords(log, attempts), always: true as const }));
  const [newest] = whole;
  if (newest === undefined || whole.length === 1) return { parts: whole, dropped: empty, remarks: passed };
  const names = documentNames(whole.map(({ samples }) => samples));
  const answers = new Map(whole.map((run, k) => [run, answersOf(run, names[k]!, errors)]));
  const parts = whole
    .map((run) => shardsWith(run, whole, answers))
    .reduce((best, other) => (unionOf(other, answers).size > unionOf(best, answers).size ? other : best));
  const dropped = whole.filter((run) => !parts.includes(run));
  const remarks: ChoiceRemark[] = [...passed, ...joinedRemarks(parts, answers)];
  if (!parts.includes(newest))
    remarks.push({
      words: "the newest run has fewer answers than an older one, which counts",
      counts: ` (${answers.get(newest)!.size}, before ${unionOf(parts, answers).size})`,
    });
  remarks.push(...droppedRemarks(parts, dropped, answers));
  return { parts: onTheirDocuments(parts, errors), dropped: [...dropped, ...empty], remarks };
}

function answersOf({ samples }: ReadRun, names: readonly string[], errors: ErrorPolicy): Answers {
  return new Map(
    samples.flatMap((sample, k) => {
      const score = answeredScore(sample, errors);
      return score === null ? [] : [[names[k]!, score] as const];
    }),
  );
}

/** The score of an item that was answered and scored; null of another. */
function answeredScore(sample: LoggedSample, errors: ErrorPolicy): number | null {
  return isAnswered(sample) ? itemScore(sample, errors) : null;
}

/** The documents that some runs answered together. */
function unionOf(runs: readonly ReadRun[], answers: ReadonlyMap<ReadRun, Answers>): Set<string> {
  return new Set(runs.flatMap((run) => [...answers.get(run)!.keys()]));
}

/** Share of the smaller run's answers up to which shards may have documents in common: most of each are its alone. */
const SHARED = 0.5;

/**
 * A run with those, newest first, that were asked alike on other documents; a few may be in several, as where ranks are padded
 * or a sample was asked again.
 */
function shardsWith(run: ReadRun, runs: readonly ReadRun[], answers: ReadonlyMap<ReadRun, Answers>): ReadRun[] {
  const parts = [run];
  for (const other of runs)
    if (
      other !== run &&
      parts.every((part) => isOnOtherDocuments(answers.get(part)!, answers.get(other)!) && isAskedAlike(part, other))
    )
      parts.push(other);
  return parts.toSorted((left, right) => newerFirst(left.log, right.log));
}

function isOnOtherDocuments(left: Answers, right: Answers): boolean {
  const shared = [...left.keys()].filter((name) => right.has(name)).length;
  return shared <= SHARED * Math.min(left.size, right.size);
}

/** Each document in one shard: the newest where it was answered, else the newest that was asked it. */
function onTheirDocuments(parts: readonly ReadRun[], errors: ErrorPolicy): readonly ReadRun[] {
  if (parts.length === 1) return parts;
  const documents = parts.map(({ samples }) => samples);
  // Where no id has two contents, two ids of one content are two documents.
  const names = isNumberedAlike(documents)
    ? documents.map((samples) => samples.map(({ doc_id }) => String(doc_id)))
    : documentNames(documents);
  const owners = new Map<string, ReadRun>();
  for (const isAsked of [(sample: LoggedSample) => answeredScore(sample, errors) !== null, () => true])
    for (const [p, part] of parts.entries())
      for (const [k, sample] of part.samples.entries()) {
        const name = names[p]![k]!;
        if (!owners.has(name) && isAsked(sample)) owners.set(name, part);
      }
  return parts.map((part, p) => {
    const samples = part.samples.filter((_, k) => owners.get(names[p]![k]!) === part);
    return { ...part, samples, attempts: countAttempts(samples) };
  });
}

/** Remarks on runs that count as one. */
function joinedRemarks(parts: readonly ReadRun[], answers: ReadonlyMap<ReadRun, Answers>): ChoiceRemark[] {
  if (parts.length === 1) return [];
  const scores = new Map<string, number[]>();
  for (const part of parts)
    for (const [name, score] of answers.get(part)!) scores.set(name, [...(scores.get(name) ?? []), score]);
  const shared = [...scores.values()].filter(({ length }) => length > 1);
  const unlike = shared.filter(([first, ...others]) => others.some((score) => !isSameScore(first!, score))).length;
  const how = isNumberedAlike(parts.map(({ samples }) => samples))
    ? ""
    : ": they have the same ids, and are told apart by content";
  const joined = { words: `${parts.length} runs on different documents count as one${partsWords(parts)}${how}` };
  if (shared.length === 0) return [joined];
  const counts = ` (${counted(shared.length, "document")}, ${unlike} with other answers)`;
  return [joined, { words: "what several of its runs answered counts by the newest", counts }];
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

/** In what two runs of one model on a task were asked or scored otherwise, as far as both say. */
function runDifferences(
  run: ReadRun,
  other: ReadRun,
  fields: readonly (typeof COMPARED_FIELDS)[number][] = COMPARED_FIELDS,
): string[] {
  const differences = fields.flatMap((field) => {
    const [here, there] = [run.protocol[field], other.protocol[field]];
    return here === null || there === null || here === there
      ? []
      : [`${PROTOCOL_WORDS[field]} ${here}, in another ${there}`];
  });
  if (run.log.results === null || other.log.results === null) return differences;
  // A run whose log has no settings was made with its harness's own.
  const [here, there] = [run, other].map(({ protocol }) => protocol.generation ?? "by default");
  return here === there ? differences : [...differences, `${PROTOCOL_WORDS.generation} ${here}, in another ${there}`];
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

/** Remarks on runs that were left out: other settings, other documents, and other answers, which may be another model's. */
function droppedRemarks(
  parts: readonly ReadRun[],
  dropped: readonly ReadRun[],
  answers: ReadonlyMap<ReadRun, Answers>,
): ChoiceRemark[] {
  const [best] = parts as [ReadRun];
  const several = "if these are different models, import them apart, with `modelName`";
  const remarks: ChoiceRemark[] = [];
  const other = dropped.find((run) => argumentsOf(run) !== argumentsOf(best));
  if (other)
    remarks.push({
      words: `its runs were made with different arguments (${argumentsOf(best) ?? "unknown"}; ${argumentsOf(other) ?? "unknown"}): ${several}`,
      always: true,
    });
  const unlike = dropped.map((run) => runDifferences(best, run)).find((differences) => differences.length > 0);
  if (unlike) remarks.push({ words: `its runs were not made alike: ${unlike.join("; ")}`, always: true });
  const counting = new Map(parts.toReversed().flatMap((part) => [...answers.get(part)!]));
  const lost = [...unionOf(dropped, answers)].filter((name) => !counting.has(name)).length;
  if (lost > 0)
    remarks.push({
      words: "what only runs left out have answered doesn't count",
      counts: ` (${counted(lost, "document")})`,
    });
  const shares = dropped.map((run) => alike(counting, answers.get(run)!)).filter((share) => share < 1);
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
  for (const [name, score] of left) {
    const other = right.get(name);
    if (other === undefined) continue;
    both++;
    if (isSameScore(other, score)) equal++;
  }
  return both === 0 ? 1 : equal / both;
}

/** Whether two scores are the same sum, in whatever order. */
export function isSameScore(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-9; // rounding of sums of a few scores
}

import { type AttemptCounts, tally } from "./attempts.ts";
import { flatProtocol, PROTOCOL_WORDS, protocolDifferences, type TaskProtocol, taskProtocol } from "./protocol.ts";
import { newerFirst, type RunLog } from "./run-log.ts";

/** A run of a model on a task that was read, and may count. */
export interface ReadRun {
  readonly log: RunLog;
  readonly metric: string;
  readonly filter: string;
  readonly attempts: AttemptCounts;
  /** Whether anything of it counts: a score that the harness gave, or one that `--errors` makes. */
  readonly counts: boolean;
  /** Documents with an attempt that was answered and scored, by their ids as text: the score. */
  readonly answers: () => ReadonlyMap<string, number>;
}

/** Which runs of a model on a task count. */
interface ChosenRuns<R> {
  /** The run that counts, and those on other documents that were asked alike: its shards. */
  readonly parts: readonly R[];
  readonly dropped: readonly R[];
  /** Remarks on the choice. */
  readonly remarks: readonly ChoiceRemark[];
}

interface ChoiceRemark {
  readonly words: string;
  /** Figures of this choice alone. */
  readonly counts?: string;
  /** It holds where all runs count, too. */
  readonly always?: true;
}

/**
 * Chooses among the runs of one model on one task: that with the most documents answered and scored, the newest among equals.
 * Runs that were asked alike on different documents are shards of one. Runs of which
 * nothing counts, as of a harness that broke off before its first sample, are passed over.
 * @param runs - in any order; where nothing of any counts, none is chosen
 */
export function chooseRuns<R extends ReadRun>(runs: readonly R[]): ChosenRuns<R> {
  const empty = runs.filter(({ counts }) => !counts);
  const whole = runs.filter(({ counts }) => counts);
  const passed = empty.map(({ log, attempts }) => ({ words: emptyWords(log, attempts), always: true as const }));
  if (whole.length < 2) return { parts: whole, dropped: empty, remarks: passed };
  const answers = new Map(whole.map((run) => [run, run.answers()]));
  const sizeOf = (runs: readonly R[]): number => runs.reduce((sum, run) => sum + answers.get(run)!.size, 0);
  const sorted = whole.toSorted((left, right) => newerFirst(left.log, right.log));
  const parts = sorted
    .map((run) => shardsWith(run, sorted, answers))
    .reduce((best, other) => (sizeOf(other) > sizeOf(best) ? other : best));
  const [best] = parts as [R, ...R[]];
  const dropped = sorted.filter((run) => !parts.includes(run));
  const newest = sorted[0]!;
  const remarks = [
    ...passed,
    ...joinedRemark(parts),
    ...(parts.includes(newest)
      ? []
      : [
          {
            words: "the newest run has fewer answers than an older one, which counts",
            counts: ` (${answers.get(newest)!.size}, before ${sizeOf(parts)})`,
          },
        ]),
    ...droppedRemarks(best, dropped, answers),
  ];
  return { parts, dropped: [...dropped, ...empty], remarks };
}

/** A run with those, newest first, that were asked alike and have none of its documents, nor of each other's. */
function shardsWith<R extends ReadRun>(
  run: R,
  runs: readonly R[],
  answers: ReadonlyMap<R, ReadonlyMap<string, number>>,
): R[] {
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

/**
 * Which shard a document counts in: that where it was answered, else the first that is asked for it.
 * @param parts - as {@link chooseRuns} gives them
 */
export function shardOwner<R extends ReadRun>(parts: readonly R[]): (part: R, id: number | string) => boolean {
  if (parts.length < 2) return () => true;
  const owners = new Map(parts.flatMap((part) => Array.from(part.answers().keys(), (id) => [id, part] as const)));
  return (part, id) => {
    if (!owners.has(String(id))) owners.set(String(id), part);
    return owners.get(String(id)) === part;
  };
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

/** In what two runs of a task were asked otherwise, as far as both say. */
function runDifferences(run: RunLog, other: RunLog): string[] {
  const protocolOf = ({ task, results }: RunLog): TaskProtocol =>
    taskProtocol(results, { task, metric: "", filter: "" });
  const before = flatProtocol("", new Map([[other.task, [protocolOf(other)]]]));
  return protocolDifferences(before, run.task, protocolOf(run)).map(
    ({ field, bundle, run: value }) => `${PROTOCOL_WORDS[field]} ${bundle}, here ${value}`,
  );
}

function isAskedAlike(run: ReadRun, other: ReadRun): boolean {
  return (
    run.metric === other.metric &&
    run.filter === other.filter &&
    run.log.results?.modelArguments === other.log.results?.modelArguments &&
    runDifferences(run.log, other.log).length === 0
  );
}

function joinedRemark(parts: readonly ReadRun[]): ChoiceRemark[] {
  return parts.length === 1 ? [] : [{ words: `${parts.length} runs on different documents count as one` }];
}

/** Remarks on runs that were left out: other settings, and other answers, which may be another model's. */
function droppedRemarks<R extends ReadRun>(
  best: R,
  dropped: readonly R[],
  answers: ReadonlyMap<R, ReadonlyMap<string, number>>,
): ChoiceRemark[] {
  const unlike = dropped.map(({ log }) => runDifferences(best.log, log)).find((found) => found.length > 0);
  const otherArguments = dropped.find(({ log }) => log.results?.modelArguments !== best.log.results?.modelArguments);
  const shares = dropped.map((run) => alike(answers.get(best)!, answers.get(run)!)).filter((share) => share < 1);
  const several = "if these are different models, import them apart, with --model-name";
  const percent = (share: number): string => `${Math.floor(100 * share)} %`;
  return [
    ...(otherArguments
      ? [
          {
            words: `its runs were made with different arguments (${best.log.results?.modelArguments ?? "unknown"}; ${otherArguments.log.results?.modelArguments ?? "unknown"}): ${several}`,
            always: true as const,
          },
        ]
      : []),
    ...(unlike
      ? [{ words: `a run that is left out was not made like the one that counts: ${unlike.join("; ")}` }]
      : []),
    ...(shares.length > 0
      ? [
          {
            words: `one run counts, and others under this name gave other answers: ${several}`,
            counts: ` (${dropped.length + 1} runs, ${percent(Math.min(...shares))} of the answers alike)`,
          },
        ]
      : []),
  ];
}

/** Share of the documents that both runs answered whose scores are equal. */
function alike(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let [both, equal] = [0, 0];
  for (const [id, score] of left) {
    const other = right.get(id);
    if (other === undefined) continue;
    both++;
    if (Math.abs(other - score) <= 1e-9) equal++; // the same sum in another order
  }
  return both === 0 ? 1 : equal / both;
}

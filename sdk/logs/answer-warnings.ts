import type { Bundle } from "../core/bundle/bundle.ts";
import { countAttempts, errorWords, type ErrorPolicy } from "./attempts.ts";
import { type ReadRun, itemScore } from "./choose-runs.ts";
import { protocolDifferences, PROTOCOL_WORDS, type TaskProtocol } from "./protocol.ts";
import { groupBy, groupedRemarks, type LoggedSample, type RunLog } from "./run-log.ts";
import type { selectRuns } from "./select-runs.ts";
import { unlikeRuns } from "./unlike-runs.ts";
import { type ScaleOptions, scoreScale } from "../tables/score-reader.ts";
import { counted } from "../words/figures.ts";

/** A warning of how answers came, beside an estimate's own. */
export interface AnswerWarning {
  readonly code:
    | "unknown_items"
    | "other_protocol"
    | "failed_answers"
    /** Which of several runs counts, and what was left out. */
    | "run_choice"
    /** The runs of the model are perhaps of several: their arguments, checkpoints or engines differ. */
    | "unlike_runs"
    /** The mean of a run's scores isn't the one that the harness reports. */
    | "score_differs"
    /** How the logs were read: what in them is passed over, or isn't as it should be. */
    | "log_remark";
  /** Answers that it is about. */
  readonly count?: number;
  readonly message: string;
}

type SelectedRuns = Awaited<ReturnType<typeof selectRuns<ReadRun>>>;

/** The task of the bundle that a log's is. */
type TaskOf = (log: RunLog) => string;

/** Warnings of which runs count, and of how they were read. */
export function runWarnings(
  logs: readonly RunLog[],
  { runs, remarks }: Pick<SelectedRuns, "runs" | "remarks">,
  taskOf: TaskOf,
): AnswerWarning[] {
  const counting = groupBy(runs, ({ log }) => taskOf(log));
  const choices = groupedRemarks([
    ...remarks.map(({ log, words, counts = "" }) => ({ who: `${taskOf(log)}${counts}`, remarks: [words] })),
    ...[...groupBy(logs, taskOf)].flatMap(([task, { length }]) => {
      const parts = counting.get(task) ?? [];
      if (length === 1 || parts.length !== 1) return [];
      return [{ who: `${task} (${parts[0]!.log.file})`, remarks: [`this run counts, of ${length}`] }];
    }),
  ]);
  const reading = [
    ...runs.flatMap(({ absent, log, metric, filter }) =>
      absent ? [`${log.task} has no such metric or filter, and counts by ${metric}, ${filter}`] : [],
    ),
    ...groupedRemarks(runs.map(({ log, remarks: words }) => ({ who: log.file, remarks: words }))),
  ];
  return [
    ...choices.map((message): AnswerWarning => ({ code: "run_choice", message })),
    ...unlikeRuns(runs.map(({ log }) => log)).map((message): AnswerWarning => ({ code: "unlike_runs", message })),
    ...reading.map((message): AnswerWarning => ({ code: "log_remark", message })),
  ];
}

/** In what runs were asked otherwise than the models that the bundle was fitted on. */
export function protocolWarnings(bundle: Bundle, runs: readonly ReadRun[], taskOf: TaskOf): AnswerWarning[] {
  const differences = runs.map(({ log, protocol }) => ({
    who: log.task,
    remarks: differenceWords(bundle.manifest.protocol, taskOf(log), protocol),
  }));
  return groupedRemarks(differences).map((message) => ({ code: "other_protocol", message }));
}

/** Runs whose mean score isn't the one that their harness reports. */
export function scoreWarnings(runs: readonly ReadRun[], errors: ErrorPolicy, scale: ScaleOptions): AnswerWarning[] {
  const different = otherScores(runs, { errors, scale: scoreScale(scale) });
  return otherScoreWords(different, errors).map((message) => ({ code: "score_differs", message }));
}

/** Samples of no item of the bundle, and attempts that failed. @param samples - by item */
export function sampleWarnings(
  { matches: samples, ignored }: { readonly matches: ReadonlyMap<string, LoggedSample>; readonly ignored: number },
  errors: ErrorPolicy,
): AnswerWarning[] {
  const [are, they] = ignored === 1 ? ["is", "it doesn't"] : ["are", "they don't"];
  const failed = errorWords(countAttempts(samples.values()), errors);
  const message = `${counted(ignored, "sample")} of these logs ${are} of no item of the bundle: ${they} count.`;
  const warnings: AnswerWarning[] = ignored === 0 ? [] : [{ code: "unknown_items", count: ignored, message }];
  return failed === null ? warnings : [...warnings, { code: "failed_answers", message: failed }];
}

/** In what a run of a task differs from those that the bundle was fitted on, in a sentence each. */
export function differenceWords(
  fitted: Parameters<typeof protocolDifferences>[0],
  task: string,
  protocol: TaskProtocol,
): string[] {
  return protocolDifferences(fitted, task, protocol).map(
    ({ field, bundle, run }) =>
      `${PROTOCOL_WORDS[field]}: ${run} in this run, ${bundle} in those of the models that the bundle was fitted on: the scores may not compare`,
  );
}

/** A score computed from a run's samples, beside the harness's own, both on [0,1]. */
export interface ComparedScore {
  readonly model: string;
  /** A task, or a scenario of several. */
  readonly name: string;
  readonly imported: number;
  readonly harness: number;
}

/** Scores as far apart are different ones: results files have them to six digits and more, unless they are rounded. */
const TOLERANCE = 1e-6;

/** Whether both are one score: to the decimals of the harness's where it has three to five, as boards round theirs. */
export function isHarnessScore({ imported, harness }: Pick<ComparedScore, "imported" | "harness">): boolean {
  const [, decimals = ""] = String(Number(harness.toPrecision(12))).split(".");
  const rounded = decimals.length >= 3 && decimals.length <= 5 ? 0.5 * 10 ** -decimals.length : 0;
  return Math.abs(imported - harness) <= rounded + TOLERANCE;
}

/**
 * Mean scores of runs that aren't those that their own results report. Left out are tasks of several runs, of which no
 * single results tell, and runs without results.
 * @param scale - brings the harness's scores to [0,1]
 */
function otherScores(
  runs: readonly ReadRun[],
  { errors, scale }: { readonly errors: ErrorPolicy; readonly scale: (score: number) => number },
): ComparedScore[] {
  const tasks = groupBy(runs, ({ log }) => JSON.stringify([log.model, log.task]));
  return [...tasks.values()].flatMap(([run, ...more]) => {
    const { log, metric, filter, samples } = run!;
    const reported = log.results?.tasks.get(log.task)?.aggregates.get(`${metric},${filter}`);
    const scores = samples.flatMap((sample) => itemScore(sample, errors) ?? []);
    if (more.length > 0 || reported === undefined || scores.length === 0) return [];
    const imported = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const compared = { model: log.model, name: log.task, imported, harness: scale(reported) };
    return isHarnessScore(compared) ? [] : [compared];
  });
}

/** Says which scores aren't the harness's own; none where all are. */
export function otherScoreWords(different: readonly ComparedScore[], errors: ErrorPolicy): string[] {
  if (different.length === 0) return [];
  const policy = errors === "harness" ? "" : ` (\`errors\` ${errors} moves scores)`;
  const examples = different
    .slice(0, 5)
    .map(
      ({ model, name, imported, harness }) =>
        `${model}, ${name}: ${imported.toFixed(6)} here, ${harness.toFixed(6)} there`,
    );
  return [
    `${different.length} ${different.length === 1 ? "score differs" : "scores differ"} from the harness's own${policy}: ${examples.join("; ")}${different.length > 5 ? "; …" : ""}`,
  ];
}

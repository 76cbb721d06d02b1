import { sortableDate, textsOf } from "../../../sdk/logs/json.ts";
import { groupBy, type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../../sdk/logs/run-log.ts";
import { firstFew } from "../../../sdk/tables/data-issues.ts";
import { counted } from "../../../sdk/words/figures.ts";
import type { Trial } from "./trials.ts";

interface Dataset {
  /** With its organisation, where it has one; null where nothing names it. */
  readonly name: string | null;
  readonly version: string | null;
}

/** How a run was made; null where nothing says it. */
export interface RunSetting {
  readonly agent: string | null;
  /** The agent's model, with its provider. */
  readonly llm: string | null;
  readonly dataset: Dataset;
  /** The agent's settings. */
  readonly settings: string | null;
  readonly harnessVersion: string | null;
}

/** The trials that one run's folder has of one agent and model on one dataset. */
export interface FoundRun extends RunSetting {
  /** Names the run in messages. */
  readonly file: string;
  /** The run's folder, an absolute path. */
  readonly folder: string;
  readonly trials: readonly Trial[];
  /** The harness's own means over these trials, by metric. */
  readonly means: ReadonlyMap<string, number>;
}

/** Runs that a leaderboard has as one. */
interface Submission {
  readonly name: string;
  readonly dataset: Dataset;
  /** It lies among a leaderboard's submissions, and isn't only called like one. */
  readonly isListed: boolean;
}

/** `results/DATASET@VERSION/SUBMISSION`, or `DATASET:VERSION`, of Terminal-Bench 1's leaderboard. */
const RESULTS = /\/([\w.-]+)[:@](\d[\w.]*|head)\/([^/]+)$/;
/** `submissions/DATASET/VERSION/SUBMISSION` of Terminal-Bench 2's leaderboard. */
const SUBMISSIONS = /\/submissions\/([^/]+)\/([^/]+)\/([^/]+)$/;
/** `YYYYMMDD_AGENT_MODEL`, wherever it lies. */
const DATED = /\/((?:19|20)\d{6}_[^_/]+_[^/]+)$/;

/**
 * The submission that a run belongs to by its place: its folder is the submission, or lies in it.
 * @example submissionOf("/results/terminal-bench-core@0.1.1/ob1-09-10-25/run1")?.name // "ob1-09-10-25"
 */
function submissionOf(folder: string): Submission | null {
  const path = folder.replaceAll("\\", "/");
  const places = [path, path.slice(0, Math.max(0, path.lastIndexOf("/")))];
  for (const place of places) {
    const [, dataset, version, name] = RESULTS.exec(place) ?? SUBMISSIONS.exec(place) ?? [];
    if (name !== undefined) return { name, dataset: { name: dataset!, version: version! }, isListed: true };
  }
  for (const place of places) {
    const name = DATED.exec(place)?.[1];
    if (name !== undefined) return { name, dataset: { name: null, version: null }, isListed: false };
  }
  return null;
}

interface PlacedRun extends FoundRun {
  readonly submission: Submission | null;
  readonly task: string;
  readonly version: string | null;
}

/**
 * The runs' logs. On a leaderboard a run is one of five, with a trial a task: the runs of one submission on one version of a
 * dataset are one run here, with all their trials, also where parts of it lie in several places under its name. A trial that is
 * there twice by its id counts once. A folder that is called like a submission and lies in no leaderboard is none where its runs
 * name several agents or models. All other runs stay by themselves; which of a model's count is `onDuplicate`'s.
 */
export function runLogs(runs: readonly FoundRun[], onRemark: (words: string) => void): RunLog<readonly Trial[]>[] {
  const bySubmission = groupBy(runs, ({ folder }) => submissionOf(folder)?.name);
  const mixed = new Set<string>();
  for (const [name, same] of bySubmission)
    if (name !== undefined && new Set(same.flatMap((run) => madeBy(run) ?? [])).size > 1) mixed.add(name);
  const located = runs.map((run): PlacedRun => {
    const likely = submissionOf(run.folder);
    const submission = likely !== null && (likely.isListed || !mixed.has(likely.name)) ? likely : null;
    return { ...run, submission, ...taskOf(run.dataset, submission) };
  });
  const copies: string[] = [];
  const groups = groupBy(located, ({ submission, task, version, ...run }) =>
    JSON.stringify([submission?.name ?? [run.file, madeBy(run), run.settings, run.dataset.name], task, version]),
  );
  const logs = Array.from(groups.values(), (group) => joinRuns(group, copies));
  const joined = [...groups.values()].flatMap(([first, second]) => (second && first?.submission?.name) ?? []);
  const remark = (names: readonly string[], noun: string, words: string): void => {
    if (names.length > 0) onRemark(`${counted(names.length, noun)} ${words}: ${firstFew(names)}`);
  };
  remark(joined, "submission", "of several runs, whose trials count together");
  remark(
    joined.filter((name) => mixed.has(name)),
    "submission",
    "whose runs name several agents or models, and count as one all the same",
  );
  remark(copies, "trial", "of which there is a copy, by id, left out");
  const unnamed = located.filter((run) => run.submission === null && madeBy(run) === null);
  remark(
    unnamed.map(({ file }) => file),
    "run",
    "without run_metadata.json and tb.lock, called as its folder",
  );
  return logs;
}

/**
 * The task, and the version of it that runs must share. Terminal-Bench's datasets are one task, others that its programs run
 * are tasks of their own names.
 */
function taskOf(
  dataset: Dataset,
  submission: Submission | null,
): { readonly task: string; readonly version: string | null } {
  const place = submission?.dataset.name ?? null;
  const { name, version } = dataset.name === null && place !== null ? submission!.dataset : dataset;
  const said = version ?? (name === place ? submission?.dataset.version : null) ?? null;
  if (name === null) return { task: TASK, version: said };
  const last = lastPart(name);
  // A package may have its version in its name: terminal-bench/terminal-bench-2-1.
  const named = last !== name && /\d$/.test(last) ? last : null;
  return {
    task: last.toLowerCase().startsWith(TASK) ? TASK : last,
    version: said === null ? named : `${last} ${said}`,
  };
}

const TASK = "terminal-bench";

/** One run of some that belong together. @param copies - takes the names of trials that are left out */
function joinRuns(group: readonly PlacedRun[], copies: string[]): RunLog<readonly Trial[]> {
  const [first] = group as [PlacedRun];
  const { submission, task, version } = first;
  const seen = new Set<string>();
  const trials = group.flatMap((run) =>
    run.trials.flatMap((trial) => {
      const name = group.length === 1 ? trial.name : `${run.file}/${trial.name}`;
      if (trial.id !== null && seen.has(trial.id)) {
        copies.push(name);
        return [];
      }
      if (trial.id !== null) seen.add(trial.id);
      return [{ ...trial, name }];
    }),
  );
  const date = trials.reduce((latest, { ended }) => (ended > latest ? ended : latest), "");
  const isWhole = trials.length === group.reduce((sum, run) => sum + run.trials.length, 0);
  const aggregates = isWhole ? meansOf(group, trials) : new Map<string, number>();
  const file = group.length === 1 ? first.file : first.folder;
  return {
    ...{ file, task, date, content: trials },
    model: submission?.name ?? madeBy(first) ?? lastPart(first.folder),
    resultsFile: aggregates.size === 0 ? null : file,
    results: {
      ...UNTOLD_RUN,
      modelArguments: agreed(group.map(({ settings }) => settings)),
      harnessVersion: agreed(group.map(({ harnessVersion }) => harnessVersion)),
      tasks: new Map([[task, { ...UNTOLD_TASK, version, aggregates }]]),
    },
    about: aboutRuns(group, date),
  };
}

/**
 * The harness's own means over the trials of several runs, under `METRIC,none`; none where a run has none, or where tasks have
 * different numbers of trials, as a mean over trials isn't one over tasks then.
 */
function meansOf(group: readonly PlacedRun[], trials: readonly Trial[]): Map<string, number> {
  const counts = Array.from(groupBy(trials, ({ item }) => item).values(), ({ length }) => length);
  if (counts.some((count) => count !== counts[0])) return new Map();
  return new Map(
    [...group[0]!.means.keys()].flatMap((metric) => {
      const sums = group.map((run) => (run.means.get(metric) ?? NaN) * run.trials.length);
      const mean = sums.reduce((sum, part) => sum + part, 0) / trials.length;
      return Number.isNaN(mean) ? [] : [[`${metric},none`, mean] as const];
    }),
  );
}

/**
 * `AGENT/MODEL`, or the agent alone; null where nothing names it. The agent is half of what was run: with another one the same
 * model has other scores.
 */
function madeBy({ agent, llm }: Pick<FoundRun, "agent" | "llm">): string | null {
  return agent === null ? llm : llm === null ? agent : `${agent}/${llm}`;
}

/** Day, agent and model without its provider: by a submission's name where its parts can be told apart, else by its runs. */
function aboutRuns(group: readonly PlacedRun[], date: string): Record<string, string> {
  const name = group[0]!.submission?.name ?? "";
  const [, day = "", dated] = /^(\d{8})_(.+)$/.exec(name) ?? [];
  const parts = dated?.split("_") ?? name.split("__");
  const [agent, llm] = parts.length === 2 ? parts : [];
  const facts = {
    date: (sortableDate(day) || date).slice(0, 10),
    agent: agent ?? agreed(group.map((run) => run.agent)),
    llm: llm ?? agreed(group.map((run) => run.llm && lastPart(run.llm))),
  };
  return Object.fromEntries(textsOf(facts));
}

/** The value of all that have one; null where they differ. */
function agreed(values: readonly (string | null)[]): string | null {
  const [value = null, ...others] = new Set(values.filter((one) => one !== null));
  return others.length === 0 ? value : null;
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).at(-1)!;
}

import { basename, dirname, join, resolve } from "node:path";
import { type Fields, list, numberOf, record } from "../../sdk/logs/json.ts";
import { groupBy } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type FoundFile, type LogReader, readFoundJson, readJsonBeside } from "../../sdk/node/logs/log-files.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted } from "../../sdk/words/figures.ts";
import { isBenchRun, isBenchTrial, readBenchFacts, readBenchTrial, RESOLVED } from "./sdk/bench-results.ts";
import { datasetVersion, harborMeans, isHarborJob, isHarborTrial, readHarborTrial } from "./sdk/harbor-results.ts";
import { type FoundRun, runLogs } from "./sdk/run-logs.ts";
import { type Trial, trialSamples } from "./sdk/trials.ts";

/**
 * Runs of Terminal-Bench, and of other datasets by its programs:
 * - `tb run`, Terminal-Bench 1: `RUN/results.json`, or where it is missing or lacks them `RUN/TASK/TRIAL/results.json`, with
 *   `run_metadata.json` or `tb.lock` beside the run's;
 * - Harbor, Terminal-Bench 2: `JOB/TRIAL/result.json`, with the job's `config.json` and `result.json`.
 *
 * How leaderboards keep them, see {@link runLogs}. Trials that were planned or begun and have no result weren't asked, and are
 * remarked.
 */
export const terminalBenchLogs: LogReader<readonly Trial[]> = {
  beside: /\.jsonl$/i,

  async find(files, { onRemark }) {
    const [benches, jobs] = await readFolders(files, this.lacking([]));
    const runs: FoundRun[] = [];
    const open = new Map<string, number>();
    const begun = begunTrials(files);
    for (const [place, folder] of benches) {
      const { run, planned } = await benchRun(place, folder);
      const without = [...(begun.get(run.folder) ?? [])].filter(
        (name) => !run.trials.some((trial) => trial.name === name),
      );
      open.set(run.folder, Math.max((planned ?? 0) - run.trials.length, without.length));
      if (run.trials.length > 0) runs.push(run);
    }
    for (const [place, folder] of jobs) {
      const { runs: ofJob, stopped } = await jobRuns(place, folder);
      const ended = new Set(folder.trials.map(({ file }) => dirname(resolve(file))));
      const without = [...(begun.get(place) ?? [])].filter((name) => !ended.has(join(place, name)));
      const planned = numberOf(folder.whole?.n_total_trials) ?? 0;
      open.set(place, Math.max(planned - folder.trials.length, without.length) + stopped);
      runs.push(...ofJob);
    }
    for (const [place, names] of begun) if (!open.has(place)) open.set(place, names.size);
    remarkOpen(open, onRemark);
    return runLogs(runs, onRemark);
  },

  lacking: () =>
    "there is no trial of Terminal-Bench: results.json of a run by `tb run`, or by Harbor the result.json of each trial, which a job's own doesn't replace, as it names no tasks: name the run's or the job's folder",

  read({ content }, options) {
    return Promise.resolve(trialSamples(content!, options));
  },
};

/** The files of a run's folder. */
interface RunFolder {
  /** The file that was found first. */
  readonly file: string;
  /** Results of all trials by `tb run`, of the job by Harbor; null where they aren't there. */
  whole: Fields | null;
  /** Of `tb run` those that the whole lacks. */
  readonly trials: { readonly file: string; readonly value: Fields }[];
}

type RunFolders = Map<string, RunFolder>;

/** Runs of `tb run` and jobs of Harbor by their folders; a second file of a whole run in one folder by itself. */
async function readFolders(files: readonly FoundFile[], lacking: string): Promise<[RunFolders, RunFolders]> {
  const [benches, jobs] = [new Map<string, RunFolder>(), new Map<string, RunFolder>()];
  const at = (folders: RunFolders, place: string, file: string): RunFolder => {
    const folder = folders.get(place) ?? { file, whole: null, trials: [] };
    folders.set(place, folder);
    return folder;
  };
  // A run's own file stands above those of its trials.
  const depth = ({ file }: FoundFile): number => resolve(file).split(/[/\\]/).length;
  for (const { file, named } of files.toSorted((left, right) => depth(left) - depth(right))) {
    if (!named && !/(?:^|_)results?\.json$/.test(basename(file))) continue;
    const folder = dirname(resolve(file));
    const above = benches.get(dirname(dirname(folder)));
    if (!named && list(above?.whole?.results).some((trial) => record(trial).trial_name === basename(folder))) continue;
    // Submissions may have runs in a folder, as 2025-07-09__11-05-09__results.json; others call files so, too.
    const value = await readFoundJson(file, !named && !/^results?\.json$/.test(basename(file)));
    // A trial's folder is called like it; a file that lies elsewhere belongs to those beside it.
    const isPlaced = basename(folder) === record(value).trial_name;
    if (isBenchRun(value)) at(benches, benches.has(folder) ? resolve(file) : folder, file).whole = value;
    else if (isBenchTrial(value))
      at(benches, isPlaced ? dirname(dirname(folder)) : folder, file).trials.push({ file, value });
    else if (isHarborTrial(value)) at(jobs, isPlaced ? dirname(folder) : folder, file).trials.push({ file, value });
    else if (isHarborJob(value) && !named) at(jobs, folder, file).whole = value;
    else if (named) throw invalidLog(file, lacking);
  }
  return [benches, jobs];
}

async function benchRun(
  place: string,
  { file, whole, trials }: RunFolder,
): Promise<{ readonly run: FoundRun; readonly planned: number | null }> {
  const folder = whole === null ? place : dirname(resolve(file));
  const metadata = await readBeside(folder, "run_metadata.json");
  const { planned, ...setting } = readBenchFacts(metadata, await readBeside(folder, "tb.lock"));
  const accuracy = trials.length === 0 ? numberOf(whole?.accuracy) : null;
  const run = {
    ...{ ...setting, folder, file: whole === null ? folder : file },
    trials: [
      ...list(whole?.results).map((value) => readBenchTrial(value, file)),
      ...trials.map((trial) => readBenchTrial(trial.value, trial.file)),
    ],
    means: new Map(accuracy === null ? [] : [[RESOLVED, accuracy]]),
  };
  return { run, planned: whole === null ? null : planned };
}

/** A job's runs, one of each agent, model and dataset, and how many of its trials were stopped. */
async function jobRuns(
  folder: string,
  { whole, trials: files }: RunFolder,
): Promise<{ readonly runs: readonly FoundRun[]; readonly stopped: number }> {
  const config = await readBeside(folder, "config.json");
  const trials = files.flatMap(({ file, value }) => readHarborTrial(value, file) ?? []);
  const stopped = files.length - trials.length;
  const groups = groupBy(trials, ({ agent, llm, settings, source }) => JSON.stringify([agent, llm, settings, source]));
  // Harbor's means are by agent, model and dataset, over all settings.
  const hasMeans = whole !== null && stopped === 0 && new Set(trials.map(({ settings }) => settings)).size === 1;
  const runs = Array.from(groups.values(), (group): FoundRun => {
    const { agent, llm, settings, source } = group[0]!;
    const version = source === null ? null : datasetVersion(config, source, join(folder, "config.json"));
    return {
      ...{ agent, llm, settings, harnessVersion: null, dataset: { name: source ?? ADHOC, version } },
      ...{ file: folder, folder, trials: group, means: hasMeans ? harborMeans(whole, group) : new Map() },
    };
  });
  return { runs, stopped };
}

/** Harbor's word for tasks that were run by themselves. */
const ADHOC = "adhoc";

/** A file beside those that were found; no fields where it isn't there. */
async function readBeside(folder: string, name: string): Promise<Fields> {
  return record(await readJsonBeside(join(folder, name)));
}

/** Names of the folders of trials that were begun, by their run's: `TASK/TRIAL.1-of-5.RUN/…` by `tb run`, `TRIAL/trial.log` by Harbor. */
function begunTrials(files: readonly FoundFile[]): Map<string, Set<string>> {
  const begun = new Map<string, Set<string>>();
  for (const { file } of files) {
    const path = resolve(file);
    const [, run, name] =
      /^(.*)[/\\][^/\\]+[/\\]([^/\\]+\.\d+-of-\d+\.[^/\\]+)[/\\]/.exec(path) ??
      /^(.*)[/\\]([^/\\]+)[/\\]trial\.log$/.exec(path) ??
      [];
    if (run !== undefined) begun.set(run, (begun.get(run) ?? new Set()).add(name!));
  }
  return begun;
}

function remarkOpen(open: ReadonlyMap<string, number>, onRemark: (words: string) => void): void {
  const lacking = [...open].filter(([, count]) => count > 0);
  const total = lacking.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return;
  const [have, count] = total === 1 ? ["has", "counts"] : ["have", "count"];
  onRemark(
    `${counted(total, "trial")} that ${total === 1 ? "was" : "were"} planned or begun ${have} no result, and ${count} as not asked: ${firstFew(lacking.map(([folder, number]) => `${folder}: ${number}`))}`,
  );
}

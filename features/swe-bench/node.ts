import { basename, dirname, resolve, sep } from "node:path";
import { lookUp } from "../../sdk/core/bundle/names.ts";
import { AnchorEvalError } from "../../sdk/core/errors.ts";
import { filledText, numberOf, record, sortableDate } from "../../sdk/logs/json.ts";
import { groupBy, type RunLog, UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { type FoundFile, type LogReader, ofVersion, readFoundJson, runName } from "../../sdk/node/logs/log-files.ts";
import { readJsonFile, textLines } from "../../sdk/node/read-file.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { counted, listed } from "../../sdk/words/figures.ts";
import {
  type Instance,
  instanceSamples,
  isCount,
  isDetails,
  isReport,
  isSubmission,
  namedInstances,
  readDetails,
  readReport,
  readSite,
  readSubmission,
  repositoryOf,
  RESOLVED,
} from "./sdk.ts";

/**
 * Instances of the splits of the benchmark, by the name of their folder among the submissions. Multimodal's have been 517, 510
 * and 480 by its versions: a file must list them.
 */
const SPLITS: Readonly<Record<string, number>> = { test: 2294, lite: 300, verified: 500, "bash-only": 500, multilingual: 300 }; // prettier-ignore

/** Files that have one name in all submissions, or on the site. */
const KNOWN = /(?:^|[/\\])(?:results|per_instance_details|leaderboards)\.json$/i;
/** Files of all instances: the dataset or predictions, or their ids alone. */
const LISTS = /\.jsonl$|(?:preds|instance_ids)\.json$/i;
/** A report whose folder names the run, as agents' programs put it there. */
const UNNAMED =
  /^(?:(?:all|eval|final|swe-?bench)_)?(?:report|results?|summary|eval|evaluation|outputs?|preds|predictions)$/i;
/** A report of sb-cli, `SUBSET__SPLIT__RUN.json`. */
const CLOUD = /^swe-bench[-_](m|lite|verified|multimodal)__([a-z]+)__(.+)$/;

/**
 * Runs of SWE-bench: reports of its harness (`MODEL.RUN.json`) and of sb-cli, submissions as the experiments repository has them
 * (`SPLIT/DATE_NAME/results/results.json`, or `per_instance_details.json`), the site's `leaderboards.json`. What instances
 * took is in the latter two, and in the trajectories that mini-SWE-agent writes, where a report of its model is beside.
 */
export const sweBenchLogs: LogReader<readonly Instance[]> = {
  beside: /\.jsonl$/i,

  async find(files, { taskVersion, onRemark }) {
    const logs: RunLog<readonly Instance[]>[] = [];
    const submissions: Submission[] = [];
    const [counts, damaged]: [string[], string[]] = [[], []];
    for (const { file, named } of files) {
      if (!/\.json$/i.test(file) || /\.traj\.json$/i.test(file) || isInstanceLog(file)) continue;
      const value = await readFoundJson(file, !named && !KNOWN.test(file));
      const site = readSite(value);
      if (isReport(value)) logs.push(reportLog(file, value));
      else if (isSubmission(value)) submissions.push({ file, value });
      else if (isCount(value)) counts.push(file);
      else if (value === null) damaged.push(file);
      else if (isDetails(value)) logs.push(runLog(file, folderOf(file), readDetails(value)));
      else if (site !== null) {
        for (const { board, name, instances, score, about } of site.entries)
          logs.push(runLog(file, { model: name, split: board.toLowerCase(), about }, instances, score));
        if (site.bare > 0)
          onRemark(
            `${site.bare} of the ${site.bare + site.entries.length} entries of ${file} have a score alone, and are left out`,
          );
      } else if (isByModel(value))
        for (const [model, details] of Object.entries(value))
          logs.push(runLog(file, { model, split: "", about: {} }, readDetails(record(details))));
      else if (named && namedInstances(value).length === 0) throw invalidLog(file, this.lacking([]));
    }
    const bySplit = groupBy(submissions, ({ file }) => folderOf(file).split);
    if (taskVersion === undefined) refuseSplits([...bySplit.keys()], submissions[0]?.file);
    const wanted = bySplit.size > 1 ? (bySplit.get(taskVersion!) ?? []) : submissions;
    const others = submissions.filter((one) => !wanted.includes(one)).map(({ file }) => file);
    const places = others.map((file) => dirname(folderPath(file)) + sep);
    const around = files.filter(({ file }) => !places.some((place) => resolve(file).startsWith(place)));
    logs.push(...(await submissionLogs(wanted, around)), ...others.map((file) => runLog(file, folderOf(file), [])));
    const left = [["of submissions that don't name what they resolved", counts], ["that can't be read as JSON", damaged]] as const; // prettier-ignore
    for (const [words, paths] of left)
      if (paths.length > 0) onRemark(`${counted(paths.length, "file")} ${words}, left out: ${firstFew(paths)}`);
    const chosen = ofVersion(logs, taskVersion);
    const versions = chosen.flatMap(({ results, task }) => results?.tasks.get(task)?.version ?? []);
    refuseSplits(versions, chosen[0]?.file);
    return withPrices(chosen, files);
  },

  lacking(files) {
    const unjudged = files.some(({ file }) => /\.traj\.json$|preds\.jsonl?$/i.test(file));
    return unjudged
      ? "predictions say nothing of which instances they resolve: swebench.harness.run_evaluation judges them, and its report MODEL.RUN.json has it"
      : "there is no run of SWE-bench: a report MODEL.RUN.json, results/results.json or per_instance_details.json of a submission, or the site's leaderboards.json";
  },

  read({ content }, options) {
    return Promise.resolve(instanceSamples(content!, options));
  },
};

interface Place {
  readonly model: string;
  /** The split by its folder, or the site's board. */
  readonly split: string;
  readonly about: Readonly<Record<string, string>>;
}

function runLog(
  file: string,
  { model, split, about }: Place,
  instances: readonly Instance[],
  score: number | null = null,
): RunLog<readonly Instance[]> {
  const task = /multi(?:modal|lingual)/.test(split) ? `swe-bench-${split}` : "swe-bench";
  const aggregates = new Map(score === null ? [] : [[`${RESOLVED},none`, score]]);
  const results = { ...UNTOLD_RUN, tasks: new Map([[task, { ...UNTOLD_TASK, version: split || null, aggregates }]]) };
  const date = sortableDate(about.date);
  const place = { file, model, task, date, about, results, resultsFile: null };
  return { ...place, partOf: repositoryOf, named: true, content: instances };
}

/** `ORG__NAME.RUN.json` is the report on ORG/NAME; sb-cli knows its subset, and its run alone. */
function reportLog(file: string, report: Record<string, unknown>): RunLog<readonly Instance[]> {
  const stem = basename(file).replace(/\.json$/i, "");
  const [, subset, part, run] = CLOUD.exec(stem) ?? [];
  const name = stem.replace(/\.[^.]*$/, "");
  const model = UNNAMED.test(name) ? runName(dirname(resolve(file)), UNNAMED) : name.replaceAll("__", "/");
  const split = subset === undefined ? "" : `${subset === "m" ? "multimodal" : subset}${part === "test" ? "" : `-${part}`}`; // prettier-ignore
  const [resolved, all] = [report.resolved_instances, report.total_instances].map(numberOf);
  const instances = readReport(report);
  const score = resolved != null && all === instances.length ? resolved / all : null;
  return runLog(file, { model: run ?? model, split, about: {} }, instances, score);
}

/** `SPLIT/DATE_NAME/results/results.json`, or without `results`. */
function folderPath(file: string): string {
  const beside = dirname(resolve(file));
  return basename(beside) === "results" ? dirname(beside) : beside;
}

function folderOf(file: string): Place {
  const folder = folderPath(file);
  const model = basename(folder);
  const date = sortableDate(/^\d{8}/.exec(model)?.[0]).slice(0, 10);
  return { model, split: basename(dirname(folder)), about: date === "" ? {} : { date } };
}

interface Submission {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The runs of submissions. Those that nobody resolved stand in no `results.json`, so the instances are those of all
 * submissions and predictions found, and must be as many as the benchmark has.
 */
async function submissionLogs(
  submissions: readonly Submission[],
  files: readonly FoundFile[],
): Promise<RunLog<readonly Instance[]>[]> {
  const [first] = submissions;
  if (first === undefined) return [];
  const { split } = folderOf(first.file);
  const universe = new Set(submissions.flatMap(({ value }) => namedInstances(value)));
  const size = lookUp(SPLITS, split);
  for (const { file } of files) {
    if (universe.size === size) break;
    if (/\.jsonl$/i.test(file)) for await (const id of lineInstances(file)) universe.add(id);
    else if (LISTS.test(file) || /per_instance_details\.json$/i.test(file))
      for (const id of namedInstances(await readJsonFile(file))) universe.add(id);
  }
  if (universe.size !== size && (size !== undefined || !files.some(({ file }) => LISTS.test(file))))
    throw invalidLog(
      first.file,
      `submissions name the instances that somebody resolved, and ${size === undefined ? "nothing says which others there are" : `${split} has ${size}: ${universe.size} are named in these files`}; name a file with all of them as well, the dataset as JSON lines or a submission's predictions (all_preds.jsonl)`,
    );
  const instances = [...universe].sort();
  return submissions.map(({ file, value }) => runLog(file, folderOf(file), readSubmission(value, instances)));
}

async function* lineInstances(file: string): AsyncGenerator<string> {
  for await (const { lines } of textLines(file))
    for (const line of lines) {
      const id = /"instance_id"\s*:\s*"([^"\\]+)"/.exec(line)?.[1];
      if (id !== undefined) yield id;
    }
}

/** Splits share instances, and a model has submissions of the same name to several. */
function refuseSplits(versions: readonly string[], file: string | undefined): void {
  const splits = [...new Set(versions)];
  if (splits.length > 1)
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: these are runs on several parts of SWE-bench, ${listed(splits)}: name the folder of one, or choose one by \`taskVersion\``,
    );
}

/** Runs with what mini-SWE-agent's trajectories say that their instances took. */
async function withPrices(
  logs: readonly RunLog<readonly Instance[]>[],
  files: readonly FoundFile[],
): Promise<RunLog<readonly Instance[]>[]> {
  const prices = new Map<string, number>();
  const key = (model: string, id: string): string => JSON.stringify([model.replaceAll("__", "/"), id]);
  if (logs.length > 0)
    for (const { file } of files) {
      if (!/\.traj\.json$/i.test(file)) continue;
      const { info, instance_id: id } = record(await readJsonFile(file));
      const { model_stats: stats, config } = record(info);
      const model = filledText(record(record(config).model).model_name);
      const price = numberOf(record(stats).instance_cost);
      if (model !== null && price)
        prices.set(key(model, filledText(id) ?? basename(file).replace(/\.traj\.json$/i, "")), price);
    }
  if (prices.size === 0) return [...logs];
  return logs.map((log) => ({
    ...log,
    content: log.content!.map((instance) => ({
      ...instance,
      price: instance.price ?? prices.get(key(log.model, instance.id)),
    })),
  }));
}

/** `logs/run_evaluation/RUN/MODEL/INSTANCE/report.json` and a submission's `logs/INSTANCE/…`, of which a run's report is the sum. */
function isInstanceLog(file: string): boolean {
  return /(?:^|[/\\])(?:run_evaluation[/\\]|[^/\\]+__[^/\\]+-\d+[/\\]report\.json$)/.test(file);
}

/** `info_for_leaderboard.json`: details by model. */
function isByModel(value: unknown): value is Readonly<Record<string, unknown>> {
  return isDetails(Object.values(record(value))[0]);
}

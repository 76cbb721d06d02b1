import { existsSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import { lightevalFileName, readLightevalResults } from "../logs/lighteval/read-results.ts";
import { DETAILS_COLUMNS, LightevalDetailsReader } from "../logs/lighteval/read-details.ts";
import { choiceNames } from "../logs/task-groups.ts";
import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { readJsonFile } from "./read-file.ts";
import { findFiles, renameModel, type FindOptions, type ReadLogOptions } from "./log-files.ts";

/**
 * The rows of a Parquet file in order, as objects of the columns asked for; whole numbers and lists as plain JavaScript.
 * @throws AnchorEvalError `invalid_data` where it can't be read, or lacks one of the columns
 */
export type ReadParquet = (
  path: string,
  columns: readonly string[],
) => AsyncIterable<Readonly<Record<string, unknown>>>;

/**
 * Finds the details of lighteval under some paths, with their results files: under the same paths, or in `results`
 * beside `details`, as lighteval writes them.
 * @param options - `modelName`: the name where all logs are one model's; else the results file names it, else the folder
 * @throws AnchorEvalError `not_found`, `invalid_data` where there are no details, a results file is none, or a run has a
 * task with several numbers of few-shot examples; `invalid_option` for a name given to several models
 */
export async function findLightevalLogs(paths: readonly string[], { modelName }: FindOptions = {}): Promise<RunLog[]> {
  const files: string[] = [];
  for await (const { file, named } of findFiles(paths)) {
    if (named && lightevalFileName(basename(file)) === null)
      throw new AnchorEvalError(
        "invalid_data",
        `${file}: the name of a log tells its task: details_<task>|<shots>_<date>.parquet, as lighteval writes it`,
      );
    files.push(file);
  }
  const parsed = new Map<string, unknown>();
  const logs: RunLog[] = [];
  const shotsOf = new Map<string, number>();
  for (const file of files) {
    const name = lightevalFileName(basename(file));
    if (name?.kind !== "details") continue;
    const { task, shots, date } = name;
    const resultsFile = findResults(file, date, files);
    if (resultsFile !== null && !parsed.has(resultsFile)) parsed.set(resultsFile, await readJsonFile(resultsFile));
    const results = resultsFile === null ? null : readLightevalResults(parsed.get(resultsFile), resultsFile, shots);
    const model = results?.model ?? modelFolder(file);
    const key = JSON.stringify([model, task, date]);
    const other = shotsOf.get(key) ?? shots;
    if (other !== shots)
      throw new AnchorEvalError(
        "invalid_data",
        `${dirname(file)}: ${task} was run with ${other} and with ${shots} few-shot examples: name the files of one of them`,
      );
    shotsOf.set(key, shots);
    logs.push({ file, model, task, date, resultsFile, results });
  }
  if (logs.length === 0) throw noDetails(paths, files);
  return renameModel(logs, modelName);
}

/** Reads the details of one task under the metric chosen for it, a row at a time. */
export async function readLightevalLog(
  log: RunLog,
  {
    metric,
    readParquet,
    ...scale
  }: Omit<ReadLogOptions, "filter"> & { readonly readParquet?: ReadParquet | undefined },
): Promise<RunSamples> {
  if (!readParquet)
    throw new AnchorEvalError(
      "unsupported",
      `${log.file}: details of lighteval are Parquet, which anchoreval-trainer reads: npm install anchoreval-trainer`,
    );
  const reader = new LightevalDetailsReader({
    ...scale,
    file: log.file,
    task: log.task,
    metric: metric(choiceNames(log)),
    results: log.results?.tasks.get(log.task),
  });
  for await (const row of readParquet(log.file, DETAILS_COLUMNS)) reader.add(row);
  return reader.finish();
}

/** One run writes results and details of the same date. */
function findResults(details: string, date: string, files: readonly string[]): string | null {
  const name = `results_${date}.json`;
  const given = files.find((file) => basename(file) === name);
  if (given !== undefined) return given;
  const [out, model] = splitFolder(details);
  const beside = out === null ? null : join(out, "results", model, name);
  return beside !== null && existsSync(beside) ? beside : null;
}

/** The folders between `details` and the date: `organisation/model`. */
function modelFolder(details: string): string {
  return splitFolder(details)[1].split(sep).join("/");
}

/** `OUT/details/MODEL/DATE/details_….parquet` in its parts. */
function splitFolder(details: string): readonly [out: string | null, model: string] {
  const run = dirname(dirname(resolve(details)));
  const parts = run.split(sep);
  const at = parts.lastIndexOf("details");
  return at < 0 ? [null, basename(run)] : [parts.slice(0, at).join(sep) || sep, parts.slice(at + 1).join(sep)];
}

function noDetails(paths: readonly string[], files: readonly string[]): AnchorEvalError {
  const results = files.some((file) => lightevalFileName(basename(file))?.kind === "results");
  return new AnchorEvalError(
    "invalid_data",
    `${paths.join(", ")}: there is no details_<task>|<shots>_<date>.parquet${results ? ", only results" : ""}: lighteval writes them with --save-details`,
  );
}

import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import { logFileName, readLmEvalResults } from "../logs/lm-eval/read-results.ts";
import { LmEvalSampleReader } from "../logs/lm-eval/read-samples.ts";
import { choiceNames } from "../logs/task-groups.ts";
import type { RunLog, RunResults, RunSamples } from "../logs/run-log.ts";
import { findFiles, renameModel, type FindOptions, type ReadLogOptions } from "./log-files.ts";
import { textLines } from "./read-file.ts";

/**
 * Finds the per-sample logs of lm-evaluation-harness under some paths, with their results files.
 * @param paths - files, or folders, which are searched with all folders in them
 * @param options - `modelName`: the name where all logs are one model's; else the results file names it, else the folder
 * @returns in the order of the paths, then by file name
 * @throws AnchorEvalError `not_found`, `invalid_data` where there are no samples or a results file is none,
 * `invalid_option` for a name given to several models
 */
export async function findLmEvalLogs(paths: readonly string[], { modelName }: FindOptions = {}): Promise<RunLog[]> {
  const files: string[] = [];
  for await (const { file, named } of findFiles(paths)) {
    if (named && logFileName(basename(file)) === null)
      throw new AnchorEvalError(
        "invalid_data",
        `${file}: the name of a log tells its task: samples_<task>_<date>.jsonl, as lm_eval writes it`,
      );
    files.push(file);
  }
  const samples = files.filter((file) => logFileName(basename(file))?.kind === "samples");
  if (samples.length === 0) throw noSamples(paths, files);

  const read = new Map<string, RunResults>();
  const logs: RunLog[] = [];
  for (const file of samples) {
    const { task, date } = logFileName(basename(file))!;
    const folder = dirname(resolve(file));
    const resultsFile = await findResults(dirname(file), date);
    let results = resultsFile === null ? null : (read.get(resultsFile) ?? null);
    if (resultsFile !== null && results === null) {
      results = readLmEvalResults(await readFile(resultsFile, "utf8"), resultsFile);
      read.set(resultsFile, results);
    }
    logs.push({ file, model: results?.model ?? basename(folder), task: task!, date, resultsFile, results });
  }
  return renameModel(logs, modelName);
}

/** Reads the samples of one log under the metric and the filter chosen for its task. */
export async function readLmEvalLog(log: RunLog, options: ReadLogOptions): Promise<RunSamples> {
  const names = choiceNames(log);
  const reader = new LmEvalSampleReader({
    ...options,
    file: log.file,
    task: log.task,
    metric: options.metric(names),
    filter: options.filter(names),
    results: log.results?.tasks.get(log.task),
  });
  for await (const { lines } of textLines(log.file)) for (const line of lines) reader.add(line);
  return reader.finish();
}

/** The results file with the samples file's date: one run writes both. */
async function findResults(folder: string, date: string): Promise<string | null> {
  const names = (await readdir(folder)).filter((name) => {
    const parsed = logFileName(name);
    return parsed?.kind === "results" && parsed.date === date;
  });
  return names.length === 1 ? join(folder, names[0]!) : null;
}

function noSamples(paths: readonly string[], files: readonly string[]): AnchorEvalError {
  const results = files.some((file) => logFileName(basename(file))?.kind === "results");
  return new AnchorEvalError(
    "invalid_data",
    `${paths.join(", ")}: there is no samples_<task>_<date>.jsonl${results ? ", only results" : ""}: lm_eval writes them with --log_samples --output_path FOLDER`,
  );
}

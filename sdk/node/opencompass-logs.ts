import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import {
  type OpenCompassConfig,
  type OpenCompassSummary,
  readOpenCompassConfig,
  readOpenCompassSummary,
} from "../logs/opencompass/read-config.ts";
import { readOpenCompassDetails } from "../logs/opencompass/read-details.ts";
import { openCompassResults, readDatasetScores, type DatasetScores } from "../logs/opencompass/read-results.ts";
import { choiceNames } from "../logs/task-groups.ts";
import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { readError, readJsonFile } from "./read-file.ts";
import { findFiles, renameModel, type FindOptions, type ReadLogOptions } from "./log-files.ts";

/** One model's results in one run's folder, `RUN/results/MODEL`. */
interface ModelFolder {
  readonly run: string;
  readonly folder: string;
  readonly files: string[];
}

/**
 * Finds the results of OpenCompass under some paths, `RUN/results/MODEL/DATASET.json`, with the run's predictions,
 * configuration and summary beside. Runs are newer the later their folder's name sorts, which is their date.
 * @param options - `modelName`: the name where all results are one model's; else the folder names it
 * @throws AnchorEvalError `not_found`; `invalid_data` where there are no results, or a file is broken; `invalid_option`
 * for a name given to several models
 */
export async function findOpenCompassLogs(
  paths: readonly string[],
  { modelName }: FindOptions = {},
): Promise<RunLog[]> {
  const models = new Map<string, ModelFolder>();
  for await (const { file, named } of findFiles(paths)) {
    const folder = dirname(resolve(file));
    if (!file.endsWith(".json") || basename(dirname(folder)) !== "results") {
      if (named)
        throw new AnchorEvalError("invalid_data", `${file}: results of OpenCompass are RUN/results/MODEL/DATASET.json`);
      continue;
    }
    const known = models.get(folder) ?? { run: dirname(dirname(folder)), folder, files: [] };
    known.files.push(file);
    models.set(folder, known);
  }
  if (models.size === 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${paths.join(", ")}: there are no results of OpenCompass: RUN/results/MODEL/DATASET.json`,
    );
  const told = new Map<string, Awaited<ReturnType<typeof readRun>>>();
  const logs: RunLog[] = [];
  for (const { run, folder, files } of models.values()) {
    if (!told.has(run)) told.set(run, await readRun(run));
    const model = basename(folder);
    const datasets = new Map<string, DatasetScores>();
    for (const file of files) datasets.set(datasetOf(file), readDatasetScores(await readJsonFile(file), file));
    const results = openCompassResults(model, datasets, told.get(run)!);
    for (const file of files)
      logs.push({ file, model, task: datasetOf(file), date: basename(run), resultsFile: folder, results });
  }
  return renameModel(logs, modelName);
}

/** Reads the details of one dataset under the metric chosen for it. */
export async function readOpenCompassLog(
  log: RunLog,
  { metric, ...scale }: Omit<ReadLogOptions, "filter">,
): Promise<RunSamples> {
  return readOpenCompassDetails(await readJsonFile(log.file), await readPredictions(log.file), {
    ...scale,
    file: log.file,
    task: log.task,
    metric: metric(choiceNames(log)),
    results: log.results?.tasks.get(log.task),
    template: log.results?.chatTemplate ?? null,
  });
}

/** The newest configuration and summary of a run: one that was resumed has several. */
async function readRun(
  run: string,
): Promise<{ readonly config: OpenCompassConfig | null; readonly summary: OpenCompassSummary | null }> {
  const config = await readNewest(join(run, "configs"), /\.py$/, readOpenCompassConfig);
  const groups = config?.groups.map(({ name }) => name) ?? [];
  const summary = await readNewest(join(run, "summary"), /^summary_\d.*\.txt$/, (text) =>
    readOpenCompassSummary(text, groups),
  );
  return { config, summary };
}

async function readNewest<T>(folder: string, pattern: RegExp, parse: (text: string) => T): Promise<T | null> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  const newest = names
    .filter((name) => pattern.test(name))
    .sort()
    .at(-1);
  if (newest === undefined) return null;
  const file = join(folder, newest);
  try {
    return parse(await readFile(file, "utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw readError(file, error);
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: ${error.message}; without this file the run is read all the same, but says less of how it was made`,
      { cause: error },
    );
  }
}

/** All predictions by number: `predictions/MODEL/DATASET.json`, or in parts `DATASET_0.json`, `DATASET_1.json`, … */
async function readPredictions(results: string): Promise<Record<string, unknown> | null> {
  const folder = dirname(resolve(results));
  const base = join(dirname(dirname(folder)), "predictions", basename(folder), datasetOf(results));
  const read = async (file: string): Promise<Record<string, unknown>> => {
    const value = await readJsonFile(file);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    throw new AnchorEvalError("invalid_data", `${file}: these are no predictions of OpenCompass: no object`);
  };
  if (existsSync(`${base}.json`)) return read(`${base}.json`);
  const parts: Record<string, unknown>[] = [];
  while (existsSync(`${base}_${parts.length}.json`)) parts.push(await read(`${base}_${parts.length}.json`));
  if (parts.length === 0) return null;
  const all = parts.flatMap((part) => Array.from({ length: Object.keys(part).length }, (_, k) => part[String(k)]));
  return Object.fromEntries(all.map((prediction, k) => [String(k), prediction]));
}

function datasetOf(file: string): string {
  return basename(file, ".json");
}

import { existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readOpenCompassConfig, readOpenCompassSummary } from "../logs/opencompass/read-config.ts";
import { readOpenCompassDetails } from "../logs/opencompass/read-details.ts";
import {
  type DatasetScores,
  openCompassResults,
  readDatasetScores,
  type RunFacts,
} from "../logs/opencompass/read-results.ts";
import type { RunLog } from "../logs/run-log.ts";
import { invalidLog } from "../logs/scores.ts";
import { isObject } from "../tables/json-records.ts";
import { readError, readJsonFile } from "./read-file.ts";
import { LONGEST_TEXT, readFound } from "./whole-file.ts";
import type { LogReader } from "./log-files.ts";
import { lookUp } from "../core/bundle/names.ts";

/**
 * The results of OpenCompass, `RUN/results/MODEL/DATASET.json`, with the run's predictions, configuration and summary
 * beside. Runs are newer the later their folder's name sorts, which is their date. The folder names the model.
 */
export const openCompassLogs: LogReader = {
  async find(found) {
    const models = new Map<string, string[]>();
    for (const { file, named } of found) {
      const folder = dirname(resolve(file));
      if (file.endsWith(".json") && basename(dirname(folder)) === "results")
        models.set(folder, [...(models.get(folder) ?? []), file]);
      else if (named) throw invalidLog(file, "results of OpenCompass are RUN/results/MODEL/DATASET.json");
    }
    const told = new Map<string, RunFacts>();
    const logs: RunLog[] = [];
    for (const [folder, files] of models) {
      const [run, model] = [dirname(dirname(await realpath(folder))), basename(folder)];
      if (!told.has(run)) told.set(run, await readRun(run));
      const datasets = new Map<string, DatasetScores>();
      for (const file of files) datasets.set(datasetOf(file), readDatasetScores(await readJsonFile(file), file));
      const results = openCompassResults(model, datasets, told.get(run)!);
      for (const file of files)
        logs.push({
          ...{ file, model, task: datasetOf(file), date: basename(run), resultsFile: folder, results },
          ...brokenBy(datasets.get(datasetOf(file))!),
        });
    }
    return logs;
  },

  lacking: () => "there are no results of OpenCompass: RUN/results/MODEL/DATASET.json",

  async read({ file, results }, options) {
    const template = results?.chatTemplate ?? null;
    return readOpenCompassDetails(await readJsonFile(file), await readPredictions(file), { ...options, template });
  },
};

function brokenBy({ failure }: DatasetScores): Pick<RunLog, "broken"> {
  return failure === null ? {} : { broken: `the evaluation failed: ${failure}` };
}

/** The newest configuration and summary of a run: one that was resumed has several. */
async function readRun(run: string): Promise<RunFacts> {
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
    return parse((await readFound(file, LONGEST_TEXT)).toString());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw readError(file, error);
    throw invalidLog(
      file,
      `${error.message}; without this file the run is read all the same, but says less of how it was made`,
      error,
    );
  }
}

/** All predictions by number: `predictions/MODEL/DATASET.json`, or in parts `DATASET_0.json`, `DATASET_1.json`, … */
async function readPredictions(results: string): Promise<Record<string, unknown> | null> {
  const folder = dirname(resolve(results));
  const base = join(dirname(dirname(folder)), "predictions", basename(folder), datasetOf(results));
  const read = async (file: string): Promise<Record<string, unknown>> => {
    const value = await readJsonFile(file);
    if (isObject(value)) return value;
    throw invalidLog(file, "these are no predictions of OpenCompass: no object");
  };
  if (existsSync(`${base}.json`)) return read(`${base}.json`);
  const parts: Record<string, unknown>[] = [];
  while (existsSync(`${base}_${parts.length}.json`)) parts.push(await read(`${base}_${parts.length}.json`));
  if (parts.length === 0) return null;
  const all = parts.flatMap((part) =>
    Array.from({ length: Object.keys(part).length }, (_, k) => lookUp(part, String(k))),
  );
  return Object.fromEntries(all.map((prediction, k) => [String(k), prediction]));
}

function datasetOf(file: string): string {
  return basename(file, ".json");
}

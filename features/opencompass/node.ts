import { existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  readOpenCompassConfig,
  readOpenCompassSummary,
  type DatasetScores,
  openCompassResults,
  readDatasetScores,
  type RunFacts,
} from "./sdk/read-results.ts";
import { readOpenCompassDetails } from "./sdk/read-details.ts";
import type { RunLog } from "../../sdk/logs/run-log.ts";
import { invalidLog } from "../../sdk/logs/score-rows.ts";
import { firstFew } from "../../sdk/tables/data-issues.ts";
import { isObject } from "../../sdk/tables/json-records.ts";
import { counted } from "../../sdk/words/figures.ts";
import { readError, readJsonFile } from "../../sdk/node/read-file.ts";
import { LONGEST_TEXT, readFound } from "../../sdk/node/whole-file.ts";
import type { LogReader } from "../../sdk/node/logs/log-files.ts";
import { lookUp } from "../../sdk/core/bundle/names.ts";

const JSON_FILE = /\.json$/i;
/** Of predictions that were made in parts. */
const PART = /_\d+$/;

/**
 * The results of OpenCompass, `RUN/results/MODEL/DATASET.json`, with the run's predictions, configuration and summary
 * beside. Runs are newer the later their folder's name sorts, which is their date. The folder names the model.
 */
export const openCompassLogs: LogReader = {
  async find(logFiles, { onRemark }) {
    const models = new Map<string, string[]>();
    for (const { file, named } of logFiles) {
      const folder = dirname(resolve(file));
      if (JSON_FILE.test(file) && basename(dirname(folder)) === "results")
        models.set(folder, [...(models.get(folder) ?? []), file]);
      else if (named) throw invalidLog(file, "results of OpenCompass are RUN/results/MODEL/DATASET.json");
    }
    const facts = new Map<string, RunFacts>();
    const logs: RunLog[] = [];
    for (const [folder, files] of models) {
      const [run, model] = [dirname(dirname(await realpath(folder))), basename(folder)];
      if (!facts.has(run)) facts.set(run, await readRun(run));
      const datasets = new Map<string, DatasetScores>();
      for (const file of files) datasets.set(datasetOf(file), readDatasetScores(await readJsonFile(file), file));
      const results = openCompassResults(model, datasets, facts.get(run)!);
      for (const file of files)
        logs.push({
          ...{ file, model, task: datasetOf(file), date: basename(run), resultsFile: folder, results },
          ...brokenBy(datasets.get(datasetOf(file))!),
        });
    }
    const begun = withoutResults(logFiles.map(({ file }) => resolve(file)));
    if (logs.length > 0 && begun.length > 0)
      onRemark(
        `${counted(begun.length, "dataset")} with predictions and no results ${begun.length === 1 ? "is" : "are"} left out: ${firstFew(begun)}`,
      );
    return logs;
  },

  lacking: () => "there are no results of OpenCompass: RUN/results/MODEL/DATASET.json",

  async read({ file, results }, options) {
    const template = results?.chatTemplate ?? null;
    return readOpenCompassDetails(await readJsonFile(file), await readPredictions(file), { ...options, template });
  },
};

/** Datasets of a model in a run, `RUN/predictions/MODEL/DATASET.json`, that weren't evaluated, or not to the end. */
function withoutResults(files: readonly string[]): string[] {
  const evaluated = new Set(files.map((file) => file.replace(JSON_FILE, "")));
  const begun = files.flatMap((file) => {
    const [models, model] = [dirname(dirname(file)), basename(dirname(file))];
    if (!JSON_FILE.test(file) || basename(models) !== "predictions") return [];
    const dataset = datasetOf(file).replace(/^tmp_/, "");
    const whole = dataset.replace(PART, "");
    const run = dirname(models);
    return [dataset, whole].some((name) => evaluated.has(join(run, "results", model, name)))
      ? []
      : [[basename(run), model, whole].join("/")];
  });
  return [...new Set(begun)];
}

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
  const beside = existsSync(dirname(base)) ? await readdir(dirname(base)) : [];
  const isPart = (name: string): boolean =>
    JSON_FILE.test(name) && datasetOf(name).replace(PART, "") === basename(base) && !existsSync(join(folder, name)); // a dataset of its own
  const count = beside.filter(isPart).length;
  const parts: Record<string, unknown>[] = [];
  for (let k = 0; k < count; k++) {
    if (!existsSync(`${base}_${k}.json`))
      throw invalidLog(`${base}_${k}.json`, `there are ${count} parts of predictions, and not this one`);
    parts.push(await read(`${base}_${k}.json`));
  }
  if (count === 0) return null;
  const all = parts.flatMap((part) =>
    Array.from({ length: Object.keys(part).length }, (_, k) => lookUp(part, String(k))),
  );
  return Object.fromEntries(all.map((prediction, k) => [String(k), prediction]));
}

function datasetOf(file: string): string {
  return basename(file).replace(JSON_FILE, "");
}

import { existsSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { AnchorEvalError } from "../../sdk/core/errors.js";
import { sortableDate } from "../../sdk/logs/json.js";
import { lightevalFileName, readLightevalResults, DETAILS_COLUMNS, readLightevalDetails } from "./sdk.js";
import { UNTOLD_RUN, UNTOLD_TASK } from "../../sdk/logs/run-log.js";
import { invalidLog } from "../../sdk/logs/score-rows.js";
import { readJsonFile } from "../../sdk/node/read-file.js";
import { logsAmong } from "../../sdk/node/logs/log-files.js";
/**
 * The details of lighteval, with their results files: among the same files, or in `results` beside `details`, as lighteval
 * writes them. The results file names the model, else the folder. A run has a task with one number of few-shot examples.
 */
export const lightevalLogs = {
  async find(all, { onRemark }) {
    const words = "the name of a log tells its task: details_<task>|<shots>_<date>.parquet, as lighteval writes it";
    const logFiles = logsAmong(all, (path) => lightevalFileName(basename(path)) !== null, words);
    const files = logFiles.map(({ file }) => file);
    const parsed = new Map();
    const logs = [];
    const shotsOf = new Map();
    for (const file of files) {
      const name = lightevalFileName(basename(file));
      if (name?.kind !== "details") continue;
      const { task, shots, date } = name;
      const resultsFile = findResults(file, date, files);
      if (resultsFile !== null && !parsed.has(resultsFile)) parsed.set(resultsFile, await readJsonFile(resultsFile));
      const results = resultsFile === null ? null : readLightevalResults(parsed.get(resultsFile), resultsFile, shots);
      const model = results?.model ?? splitFolder(file).model.split(sep).join("/");
      if (results === null)
        onRemark(
          `${file} has no results file: its folder names the model, and of how it was asked only the few-shot examples are known`,
        );
      const key = JSON.stringify([model, task, date]);
      const other = shotsOf.get(key) ?? shots;
      if (other !== shots)
        throw invalidLog(
          dirname(file),
          `${task} was run with ${other} and with ${shots} few-shot examples: name the files of one of them`,
        );
      shotsOf.set(key, shots);
      const byName = { ...UNTOLD_RUN, tasks: new Map([[task, { ...UNTOLD_TASK, shots }]]) };
      logs.push({ file, model, task, date: sortableDate(date), resultsFile, results: results ?? byName });
    }
    return logs;
  },
  lacking(files) {
    const results = files.some(({ file }) => lightevalFileName(basename(file))?.kind === "results");
    return `there is no details_<task>|<shots>_<date>.parquet${results ? ", only results" : ""}: lighteval writes them with --save-details`;
  },
  async read({ file }, { readParquet, ...options }) {
    if (!readParquet)
      throw new AnchorEvalError(
        "unsupported",
        `${file}: details of lighteval are Parquet, which anchoreval-trainer reads: npm install anchoreval-trainer`,
      );
    return readLightevalDetails(readParquet(file, DETAILS_COLUMNS), options);
  },
};
/** One run writes results and details of the same date; runs of two models may end at the same. */
function findResults(details, date, files) {
  const name = `results_${date}.json`;
  const { out, model } = splitFolder(details);
  const beside = out === null ? null : join(out, "results", model, name);
  if (beside !== null && existsSync(beside)) return beside;
  const named = files.filter((file) => basename(file) === name);
  return named.find((file) => resolve(dirname(file)).endsWith(model)) ?? (named.length === 1 ? named[0] : null);
}
/** `OUT/details/ORGANISATION/MODEL/DATE/details_….parquet` in its parts. */
function splitFolder(details) {
  const run = dirname(dirname(resolve(details)));
  const parts = run.split(sep);
  const at = parts.lastIndexOf("details");
  if (at < 0) return { out: null, model: basename(run) };
  return { out: parts.slice(0, at).join(sep) || sep, model: parts.slice(at + 1).join(sep) };
}

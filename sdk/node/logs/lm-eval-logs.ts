import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { logFileName, readLmEvalResults } from "../../logs/lm-eval/read-results.ts";
import { LmEvalSampleReader } from "../../logs/lm-eval/read-samples.ts";
import { UNTOLD_TASK, type RunLog, type RunResults } from "../../logs/run-log.ts";
import { sortableDate } from "../../logs/json.ts";
import { logsAmong, type LogReader } from "./log-files.ts";
import { textLines } from "../read-file.ts";
import { LONGEST_TEXT, readFound } from "../whole-file.ts";

/**
 * The per-sample logs of lm-evaluation-harness, with their results files. The results file names the model, else the
 * folder.
 */
export const lmEvalLogs: LogReader = {
  async find(files, { onRemark }) {
    const words = "the name of a log tells its task: samples_<task>_<date>.jsonl, as lm_eval writes it";
    const read = new Map<string, RunResults>();
    const logs: RunLog[] = [];
    for (const { file } of logsAmong(files, (path) => logFileName(basename(path)) !== null, words)) {
      const { kind, date, task: name } = logFileName(basename(file))!;
      if (kind !== "samples") continue;
      const resultsFile = await findResults(dirname(file), date);
      if (resultsFile !== null && !read.has(resultsFile))
        read.set(resultsFile, readLmEvalResults((await readFound(resultsFile, LONGEST_TEXT)).toString(), resultsFile));
      const results = resultsFile === null ? null : read.get(resultsFile)!;
      const model = results?.model ?? basename(dirname(resolve(file)));
      if (results === null)
        onRemark(`${file} has no results file beside it: its folder names the model, and how it was asked isn't known`);
      const log = { file, model, task: name!, date: sortableDate(date), resultsFile, results };
      const ofTask = results?.tasks.get(log.task);
      if (ofTask?.anchored === undefined) logs.push(log);
      // Its own shots and versions are those of several tasks.
      else
        for (const [task, asked] of ofTask.anchored)
          logs.push({
            ...log,
            task,
            results: { ...results!, tasks: new Map([[task, { ...UNTOLD_TASK, shots: ofTask.shots }]]) },
            asked,
          });
    }
    return logs;
  },

  lacking(files) {
    const results = files.some(({ file }) => logFileName(basename(file))?.kind === "results");
    return `there is no samples_<task>_<date>.jsonl${results ? ", only results" : ""}: lm_eval writes them with --log_samples --output_path FOLDER`;
  },

  async read({ file, asked }, options) {
    const reader = new LmEvalSampleReader(options, asked);
    for await (const { lines } of textLines(file)) for (const line of lines) reader.add(line);
    return reader.finish();
  },
};

/** The results file with the samples file's date: one run writes both. */
async function findResults(folder: string, date: string): Promise<string | null> {
  const names = (await readdir(folder)).filter((name) => {
    const parsed = logFileName(name);
    return parsed?.kind === "results" && parsed.date === date;
  });
  return names.length === 1 ? join(folder, names[0]!) : null;
}

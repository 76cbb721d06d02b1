import type { RunLog, RunResults, RunSamples } from "../../logs/run-log.ts";
import { invalidLog } from "../../logs/score-rows.ts";
import { choiceNames, withGroups } from "../../logs/task-groups.ts";
import { firstFew } from "../../tables/data-issues.ts";
import { counted } from "../../words/figures.ts";
import {
  findFiles,
  ofVersion,
  renameModel,
  type FindOptions,
  type FormatReaders,
  type ReadLogOptions,
} from "./log-files.ts";
import { type HarnessName, READERS } from "./readers.ts";

/** How a harness's logs are found on disk, and read. */
export interface Harness {
  readonly name: HarnessName;
  /**
   * Finds the runs whose logs lie under some paths: files, or folders with all folders in them.
   * @returns in the order of the paths, then by file name
   * @throws AnchorEvalError `not_found`; `invalid_data` where there are no logs, or one is broken; `invalid_option` for a
   * model's name given to several, and for a version of a task that none is of
   */
  find(paths: readonly string[], options?: FindOptions): Promise<RunLog[]>;
  /**
   * Reads the samples of one run under the metric and the filter chosen for its task.
   * @param special - what is chosen for all tasks doesn't count
   */
  read(log: RunLog, options: ReadLogOptions, special?: boolean): Promise<RunSamples>;
}

/**
 * @param formats - for what the SDK can't read by itself
 * @example await harnessNamed("inspect").find(["logs"])
 */
export function harnessNamed(name: HarnessName, formats: FormatReaders = {}): Harness {
  return {
    name,
    find: async (paths, { modelName, taskVersion, onRemark = () => undefined } = {}) => {
      const reader = await READERS[name]();
      const files = await findFiles(paths);
      const logs = withUnicodeNames(await reader.find(files, { ...formats, taskVersion, onRemark }));
      if (logs.length === 0) throw invalidLog(paths.join(", "), reader.lacking(files));
      const read = new Set(logs.map(({ file }) => file));
      const passed = files.flatMap(({ file }) =>
        LOG_LIKE.test(file) && !read.has(file) && !reader.beside?.test(file) ? [file] : [],
      );
      if (passed.length > 0)
        onRemark(
          `${counted(passed.length, "file")} that ${passed.length === 1 ? "looks like a log isn't one" : "look like logs aren't such"} of ${name}, and ${passed.length === 1 ? "is" : "are"} passed over: ${firstFew(passed)}`,
        );
      return withGroups(renameModel(ofVersion(logs, taskVersion), modelName));
    },
    read: async (log, { metric, filter, idFields, ...scale }, special) => {
      const names = choiceNames(log);
      const { file, task } = log;
      return (await READERS[name]()).read(log, {
        ...{ ...formats, ...scale, file, task },
        ...{ metric: metric(names, special), filter: filter(names, special), idField: idFields?.get(task) },
        results: log.results?.tasks.get(task),
      });
    },
  };
}

/** Files that have scores of single samples in some harness, packed in whatever way. */
const LOG_LIKE = /\.(?:jsonl|eval|parquet|json\.(?:gz|zst|xz|bz2|zip))(?:\.(?:gz|zst|xz|bz2|zip))?$/i;

/** Names of models and tasks are the same in all of Unicode's forms: some file systems have another than the files. */
function withUnicodeNames(logs: readonly RunLog[]): RunLog[] {
  const normal = new Map<RunResults, RunResults>();
  for (const results of new Set(logs.flatMap((log) => log.results ?? []))) {
    const tasks = [...results.tasks].map(([name, task]) => [name.normalize("NFC"), task] as const);
    normal.set(
      results,
      tasks.every(([name]) => results.tasks.has(name)) ? results : { ...results, tasks: new Map(tasks) },
    );
  }
  return logs.map((log) => ({
    ...log,
    ...{ model: log.model.normalize("NFC"), task: log.task.normalize("NFC") },
    results: log.results && normal.get(log.results)!,
  }));
}

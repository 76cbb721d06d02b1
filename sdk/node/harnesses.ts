import { type Choose, isAbsentChoice } from "../logs/choices.ts";
import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { invalidLog } from "../logs/scores.ts";
import { choiceNames, withGroups } from "../logs/task-groups.ts";
import {
  findFiles,
  renameModel,
  type FindOptions,
  type FormatReaders,
  type LogReader,
  type ReadLogOptions,
} from "./log-files.ts";

/** How a harness's logs are found on disk, and read. */
export interface Harness {
  readonly name: HarnessName;
  /**
   * Finds the runs whose logs lie under some paths: files, or folders with all folders in them.
   * @returns in the order of the paths, then by file name
   * @throws AnchorEvalError `not_found`; `invalid_data` where there are no logs, or one is broken; `invalid_option` for a
   * model's name given to several
   */
  find(paths: readonly string[], options?: FindOptions): Promise<RunLog[]>;
  /** Reads the samples of one run under the metric and the filter chosen for its task. */
  read(log: RunLog, options: ReadLogOptions): Promise<RunSamples>;
}

const READERS = {
  "lm-eval": async () => (await import("./lm-eval-logs.ts")).lmEvalLogs,
  inspect: async () => (await import("./inspect-logs.ts")).inspectLogs,
  helm: async () => (await import("./helm-logs.ts")).helmLogs,
  lighteval: async () => (await import("./lighteval-logs.ts")).lightevalLogs,
  eee: async () => (await import("./eee-logs.ts")).eeeLogs,
  opencompass: async () => (await import("./opencompass-logs.ts")).openCompassLogs,
} as const satisfies Record<string, () => Promise<LogReader>>;

export type HarnessName = keyof typeof READERS;

export const HARNESSES = Object.keys(READERS) as readonly HarnessName[];

/**
 * @param formats - for what the SDK can't read by itself
 * @example await harnessNamed("inspect").find(["logs"])
 */
export function harnessNamed(name: HarnessName, formats: FormatReaders = {}): Harness {
  return {
    name,
    find: async (paths, { modelName, onRemark = () => undefined } = {}) => {
      const reader = await READERS[name]();
      const files = await findFiles(paths);
      const logs = await reader.find(files, { ...formats, onRemark });
      if (logs.length === 0) throw invalidLog(paths.join(", "), reader.lacking(files));
      return withGroups(renameModel(logs, modelName));
    },
    read: async (log, { metric, filter, idFields, ...scale }) => {
      const names = choiceNames(log);
      const asked = {
        file: log.file,
        task: log.task,
        metric: metric(names),
        filter: filter(names),
        idField: idFields?.get(log.task),
      };
      const results = log.results?.tasks.get(log.task);
      return (await READERS[name]()).read(log, { ...formats, ...scale, ...asked, results });
    },
  };
}

/**
 * Reads the samples of a run of which a choice for all tasks needn't have what was chosen: then its only metric and filter
 * count, and `absent` says so.
 * @throws AnchorEvalError as `harness.read`
 */
export async function readChosen(harness: Harness, log: RunLog, options: ReadLogOptions): Promise<RunSamples> {
  try {
    return await harness.read(log, options);
  } catch (error) {
    if (!isAbsentChoice(error)) throw error;
    const { metric, filter } = options;
    const own = { metric: (names) => metric(names, true), filter: (names) => filter(names, true) } satisfies {
      metric: Choose;
      filter: Choose;
    };
    const samples = await harness.read(log, { ...options, ...own }).catch(() => null);
    if (samples === null) throw error;
    return { ...samples, absent: error };
  }
}

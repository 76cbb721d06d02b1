import type { RunLog, RunSamples } from "../logs/run-log.ts";
import type { ReadParquet } from "./lighteval-logs.ts";
import type { FindOptions, ReadLogOptions } from "./log-files.ts";
import type { Unzstd } from "./zip-entries.ts";

/** Readers of formats that the SDK, which has no dependencies, doesn't read itself. */
export interface FormatReaders {
  /** For logs of Inspect on Node before 22.15. */
  readonly unzstd?: Unzstd;
  /** For logs of lighteval. */
  readonly readParquet?: ReadParquet;
}

/** How a harness's logs are found on disk, and read. */
export interface Harness {
  readonly name: HarnessName;
  find(paths: readonly string[], options?: FindOptions): Promise<RunLog[]>;
  read(log: RunLog, options: ReadLogOptions): Promise<RunSamples>;
}

/** Finds and reads the logs of one harness. */
interface LogReader {
  find(paths: readonly string[], options: FindOptions & FormatReaders): Promise<RunLog[]>;
  read(log: RunLog, options: ReadLogOptions & FormatReaders): Promise<RunSamples>;
}

/** Readers by harness, loaded where logs of it are read; `needs` is the format without which nothing can be. */
const READERS = {
  "lm-eval": {
    load: async () => {
      const { findLmEvalLogs, readLmEvalLog } = await import("./lm-eval-logs.ts");
      return { find: findLmEvalLogs, read: readLmEvalLog };
    },
  },
  inspect: {
    load: async () => {
      const { findInspectLogs, readInspectLog } = await import("./inspect-logs.ts");
      return { find: findInspectLogs, read: readInspectLog };
    },
  },
  helm: {
    load: async () => {
      const { findHelmLogs, readHelmLog } = await import("./helm-logs.ts");
      return { find: findHelmLogs, read: readHelmLog };
    },
  },
  lighteval: {
    needs: "readParquet",
    load: async () => {
      const { findLightevalLogs, readLightevalLog } = await import("./lighteval-logs.ts");
      return { find: findLightevalLogs, read: readLightevalLog };
    },
  },
  opencompass: {
    load: async () => {
      const { findOpenCompassLogs, readOpenCompassLog } = await import("./opencompass-logs.ts");
      return { find: findOpenCompassLogs, read: readOpenCompassLog };
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly needs?: keyof FormatReaders; readonly load: () => Promise<LogReader> }>
>;

/** A harness whose logs are read. */
export type HarnessName = keyof typeof READERS;

/** Harnesses whose logs are read. */
export const HARNESSES = Object.keys(READERS) as readonly HarnessName[];

/** Whether a harness's logs can be read with these formats. */
export function isReadable(name: HarnessName, formats: FormatReaders): boolean {
  const reader = READERS[name];
  return !("needs" in reader) || formats[reader.needs] !== undefined;
}

/**
 * @param formats - for what the SDK can't read by itself
 * @example await harnessNamed("inspect").find(["logs"])
 */
export function harnessNamed(name: HarnessName, formats: FormatReaders = {}): Harness {
  const load: () => Promise<LogReader> = READERS[name].load;
  return {
    name,
    find: async (paths, options) => (await load()).find(paths, { ...formats, ...options }),
    read: async (log, options) => (await load()).read(log, { ...formats, ...options }),
  };
}

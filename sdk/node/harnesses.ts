import type { RunLog, RunSamples } from "../logs/run-log.ts";
import { findHelmLogs, readHelmLog } from "./helm-logs.ts";
import { findInspectLogs, readInspectLog } from "./inspect-logs.ts";
import { findLightevalLogs, readLightevalLog, type ReadParquet } from "./lighteval-logs.ts";
import { findLmEvalLogs, readLmEvalLog } from "./lm-eval-logs.ts";
import { findOpenCompassLogs, readOpenCompassLog } from "./opencompass-logs.ts";
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

interface LogReader {
  /** The format without which nothing of it can be read. */
  readonly needs?: keyof FormatReaders;
  find(paths: readonly string[], options: FindOptions & FormatReaders): Promise<RunLog[]>;
  read(log: RunLog, options: ReadLogOptions & FormatReaders): Promise<RunSamples>;
}

const READERS = {
  "lm-eval": { find: findLmEvalLogs, read: readLmEvalLog },
  inspect: { find: findInspectLogs, read: readInspectLog },
  helm: { find: findHelmLogs, read: readHelmLog },
  lighteval: { find: findLightevalLogs, read: readLightevalLog, needs: "readParquet" },
  opencompass: { find: findOpenCompassLogs, read: readOpenCompassLog },
} as const satisfies Readonly<Record<string, LogReader>>;

/** A harness whose logs are read. */
export type HarnessName = keyof typeof READERS;

/** Harnesses whose logs are read. */
export const HARNESSES = Object.keys(READERS) as readonly HarnessName[];

/** Whether a harness's logs can be read with these formats. */
export function isReadable(name: HarnessName, formats: FormatReaders): boolean {
  const { needs }: LogReader = READERS[name];
  return needs === undefined || formats[needs] !== undefined;
}

/**
 * @param formats - for what the SDK can't read by itself
 * @example await harnessNamed("inspect").find(["logs"])
 */
export function harnessNamed(name: HarnessName, formats: FormatReaders = {}): Harness {
  const reader: LogReader = READERS[name];
  return {
    name,
    find: (paths, options) => reader.find(paths, { ...formats, ...options }),
    read: (log, options) => reader.read(log, { ...formats, ...options }),
  };
}

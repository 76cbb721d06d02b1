/**
 * Files: bundles in folders, answers, logs of harnesses.
 * @module anchoreval/node
 */
export { folderSource, folderStore } from "./folder.ts";
export { HARNESSES, harnessNamed, type FormatReaders, type Harness, type HarnessName } from "./harnesses.ts";
export { findHelmLogs, readHelmLog } from "./helm-logs.ts";
export { findInspectLogs, readInspectLog, type InspectOptions } from "./inspect-logs.ts";
export { findLightevalLogs, readLightevalLog, type ReadParquet } from "./lighteval-logs.ts";
export { findLmEvalLogs, readLmEvalLog } from "./lm-eval-logs.ts";
export { findOpenCompassLogs, readOpenCompassLog } from "./opencompass-logs.ts";
export type { FindOptions, ReadLogOptions } from "./log-files.ts";
export { openBytes, readAnswers, readJsonFile, textLines, type RandomAccess } from "./read-file.ts";
export { openZip, type Unzstd, type ZipArchive } from "./zip-entries.ts";
export * from "../tables/index.ts";

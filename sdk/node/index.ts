/**
 * What needs files: bundles in folders, answers, logs of harnesses.
 * @module anchoreval/node
 */
export { folderSource } from "./folder.ts";
export { folderStore } from "./folder.ts";
export {
  type FindOptions,
  type FormatReaders,
  type Harness,
  HARNESSES,
  type HarnessName,
  harnessNamed,
  type ReadLogOptions,
} from "./harnesses.ts";
export { findHelmLogs, readHelmLog } from "./helm-logs.ts";
export { findInspectLogs, type InspectOptions, readInspectLog } from "./inspect-logs.ts";
export { findLightevalLogs, readLightevalLog, type ReadParquet } from "./lighteval-logs.ts";
export { findLmEvalLogs, readLmEvalLog } from "./lm-eval-logs.ts";
export { findOpenCompassLogs, readOpenCompassLog } from "./opencompass-logs.ts";
export { readAnswers } from "./read-file.ts";
export { readJsonFile } from "./read-file.ts";
export { openBytes, type RandomAccess } from "./read-file.ts";
export { openZip, type Unzstd, type ZipArchive } from "./zip-entries.ts";
// Readers of tables and JSON lines, shared with the trainer.
export { textLines } from "./read-file.ts";
export * from "../tables/index.ts";

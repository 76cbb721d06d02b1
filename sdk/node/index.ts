export { folderSource } from "./folder-source.ts";
export { folderStore } from "./folder-store.ts";
export { HARNESSES, harnessNamed, type Harness, type HarnessName } from "./harnesses.ts";
export { findHelmLogs, readHelmLog } from "./helm-logs.ts";
export { findInspectLogs, readInspectLog } from "./inspect-logs.ts";
export { findLmEvalLogs, readLmEvalLog } from "./lm-eval-logs.ts";
export { openZip, type Unzstd, type ZipArchive } from "./zip-entries.ts";
export { readAnswers, type Answers } from "./read-answers.ts";
// Readers of tables and JSON lines, shared with the trainer.
export { checkWidth } from "./tables/check-width.ts";
export { csvRecords, type CsvRecord } from "./tables/csv-records.ts";
export { DataIssues, type Place } from "./tables/data-issues.ts";
export { readError } from "./tables/file-chunks.ts";
export { jsonRecords, type JsonRecord } from "./tables/json-records.ts";
export { firstFew, jsonKind, quoted } from "./tables/quoted.ts";
export { scoreReader, type ScoreOptions, type ScoreProblem, type ScoreReader } from "./tables/score-reader.ts";
export { textLines, type LineBatch } from "./tables/text-lines.ts";

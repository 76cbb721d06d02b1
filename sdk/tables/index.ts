/**
 * Tables of text: CSV and JSON lines, row by row, with issues that name row and column.
 * @module anchoreval/tables
 */
export { blobChunks } from "./chunk-lines.ts";
export { checkWidth } from "./csv-records.ts";
export { chunkLines } from "./chunk-lines.ts";
export { csvRecords, type CsvRecord } from "./csv-records.ts";
export { DataIssues, type Place } from "./data-issues.ts";
export { jsonRecords, type JsonRecord } from "./json-records.ts";
export type { LineBatch } from "./chunk-lines.ts";
export { parseAnswers, type Answers } from "./parse-answers.ts";
export { firstFew, jsonKind, quoted } from "./data-issues.ts";
export { scoreReader, type ScoreOptions, type ScoreProblem, type ScoreReader } from "./score-reader.ts";

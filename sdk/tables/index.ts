/**
 * Tables of text: CSV and JSON lines, row by row, with issues that name row and column.
 * @module anchoreval/tables
 */
export { blobChunks, chunkLines, type LineBatch } from "./chunk-lines.ts";
export { checkWidth, csvRecords, type CsvRecord } from "./csv-records.ts";
export { DataIssues, firstFew, jsonKind, quoted, type Place } from "./data-issues.ts";
export { jsonRecords, type JsonRecord } from "./json-records.ts";
export { parseAnswers, type Answers } from "./parse-answers.ts";
export { scoreReader, type ScoreOptions, type ScoreProblem, type ScoreReader } from "./score-reader.ts";

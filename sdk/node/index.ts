export { folderSource } from "./folder-source.ts";
export { folderStore } from "./folder-store.ts";
export { findLmEvalLogs, groupRuns, readLmEvalLog, type LmEvalLog } from "./lm-eval-logs.ts";
export { readAnswers } from "./read-answers.ts";
// Readers of tables and JSON lines, shared with the trainer.
export { textLines } from "./tables/text-lines.ts";
export * from "../tables/index.ts";

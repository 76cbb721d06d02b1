/** Bundles in folders and by name, answers in files. @module anchoreval/node */
export { folderSource, folderStore } from "./folder.ts";
export { readAnchorLogs } from "./logs/anchor-logs.ts";
export { readAnswers } from "./read-file.ts";
export { loadBundle } from "./shipped-bundles.ts";

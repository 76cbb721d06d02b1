/** Bundles in folders, answers in files. @module anchoreval/node */
export { folderSource, folderStore } from "./folder.ts";
export { readAnswers } from "./read-file.ts";

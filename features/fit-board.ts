/** Checks of a board as it comes in, and what is said of it. */
export { boardWords } from "./borders/fit/board-summary.ts";
export { checkBoard, type CheckedBoard } from "./borders/fit/border-check.ts";
export { type BorderFinding, findingWords } from "./borders/fit/findings.ts";

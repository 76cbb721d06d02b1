/**
 * What commands are made of.
 * @module anchoreval/cli
 */
export { type Command, type CommandInput, type OptionReader, type OptionSpec } from "./command.ts";
export { checkCommand } from "./check.ts";
export { compareCommand } from "./compare.ts";
export { estimateCommand } from "./estimate.ts";
export { openBundle } from "./open-bundle.ts";
export { readScale } from "./read-scale.ts";
export { createOutput, type Output, type Progress, type Streams } from "./output.ts";
export { points } from "../words/figures.ts";
export { textTable } from "./text-table.ts";
export { runProgram, type Program } from "./program.ts";

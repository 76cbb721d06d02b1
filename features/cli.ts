import type { CommandEntry } from "../cli/src/program/command.ts";

const LOOK = "Look into a benchmark";

/** The features' own commands, each under a heading of the help; what a command imports is loaded when it runs. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "forms",
    group: LOOK,
    summary: "parallel forms: disjoint subsets of items, alike in subjects and difficulty",
    load: async () => (await import("./forms/cli.ts")).formsCommand,
  },
];

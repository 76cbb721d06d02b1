import { COMMANDS as FEATURES, FIRST_COMMANDS } from "../../features/cli.ts";
import type { CommandEntry } from "./program/command.ts";

const LOAD = {
  run: async () => (await import("./run/run.ts")).runCommand,
  estimate: async () => (await import("./commands/estimate.ts")).estimateCommand,
  compare: async () => (await import("../../features/cli-compare.ts")).compareCommand(),
  check: async () => (await import("../../features/cli-compare.ts")).checkCommand(),
  plan: async () => (await import("../../features/cli-plan.ts")).planCommand,
  export: async () => (await import("./commands/export.ts")).exportCommand,
  show: async () => (await import("./commands/show.ts")).showCommand,
  fit: async () => (await import("./commands/fit.ts")).fitCommand,
  completion: async () => (await import("./program/completion.ts")).completionCommand,
} as const satisfies Record<string, CommandEntry["load"]>;

/** One line of the help for each command, by the headings there. */
const SUMMARIES: Readonly<Record<string, Partial<Record<keyof typeof LOAD, string>>>> = {
  "Evaluate a model": {
    run: "a harness on the anchors alone, and the model's score from its logs",
    estimate: "a model's score on the whole benchmark from its answers to the anchors",
    compare: "which of two models is better, or the ranking of several, from the same anchors",
    check: "whether a model got worse, for CI; exit codes 0 passed, 3 regressed, 4 can't tell",
    plan: "how many items it takes for an interval, or to tell two models apart",
    export: "the files and commands that make a harness run only the anchors",
    show: "a bundle, its digests checked, and its measured errors; or which bundles there are",
  },
  "Fit a bundle": {
    fit: "a response matrix to a bundle: calibrate, choose anchors, measure the error",
  },
  "Look into a benchmark": {},
  "Publish and serve": {},
  "In a shell": {
    completion: "completion of commands and options: source <(anchoreval completion bash)",
  },
};

/** All commands: under each heading the features' that come first, the trunk's, then the features'. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(SUMMARIES).flatMap(([group, commands]) => [
  ...FIRST_COMMANDS.filter((command) => command.group === group),
  ...Object.entries(commands).map(([name, summary]) => ({
    name,
    summary,
    group,
    load: LOAD[name as keyof typeof LOAD],
  })),
  ...FEATURES.filter((command) => command.group === group),
]);

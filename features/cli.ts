import type { CommandEntry } from "../cli/src/program/command.ts";

const FIT = "Fit a bundle";
const LOOK = "Look into a benchmark";
const PUBLISH = "Publish and serve";

/** Commands that stand before the trunk's: what these begin with. */
export const FIRST_COMMANDS: readonly CommandEntry[] = [
  {
    name: "import",
    group: FIT,
    summary: "a harness's per-sample logs, or a long table, as a response matrix",
    load: async () => (await import("./import/cli/import.ts")).importCommand,
  },
];

/** The features' own commands, each under a heading of the help; what a command imports is loaded when it runs. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "backtest",
    group: FIT,
    summary: "repeat the whole fit without some models, and measure the error of their estimates",
    load: async () => (await import("./backtest/cli.ts")).backtestCommand,
  },
  {
    name: "simulate",
    group: FIT,
    summary: "draw a leaderboard that looks like a real one, with the truth beside it",
    load: async () => (await import("./simulate/cli.ts")).simulateCommand,
  },
  {
    name: "demo",
    group: FIT,
    summary: "the whole path, from a leaderboard to estimates over HTTP",
    load: async () => (await import("./demo/cli.ts")).demoCommand,
  },
  {
    name: "reproduce",
    group: FIT,
    summary: "fit a bundle again from its own notes and the same data: identical, or what differs",
    load: async () => (await import("./reproduce/cli.ts")).reproduceCommand,
  },
  {
    name: "bundles",
    group: FIT,
    summary: "make a bundle from public data that no bundle of may be passed on, by a recipe",
    load: async () => (await import("./recipes/cli/make.ts")).bundlesCommand,
  },
  {
    name: "replay",
    group: FIT,
    summary: "evaluate held-out models adaptively by their known answers",
    load: async () => (await import("./adaptive/cli/replay.ts")).replayCommand,
  },
  {
    name: "audit",
    group: LOOK,
    summary: "items to look at by hand: likely wrong keys, copies, misfit",
    load: async () => (await import("./audit/cli.ts")).auditCommand,
  },
  {
    name: "diff",
    group: LOOK,
    summary: "which items changed since a bundle, which anchors they hit, and what still holds",
    load: async () => (await import("./versions/cli/diff.ts")).diffCommand,
  },
  {
    name: "embed",
    group: LOOK,
    summary: "texts to vectors, by a sentence encoder in ONNX or by TF-IDF",
    load: async () => (await import("./routing/cli/embed.ts")).embedCommand,
  },
  {
    name: "route",
    group: LOOK,
    summary: "every model's chance of a right answer to new questions, and which model to ask",
    load: async () => (await import("./routing/cli/route.ts")).routeCommand,
  },
  {
    name: "publish",
    group: PUBLISH,
    summary: "a bundle to a Worker, R2, Hugging Face, or a folder; take a version back; sweep",
    load: async () => (await import("./cli-publish.ts")).publishCommand,
  },
  {
    name: "serve",
    group: PUBLISH,
    summary: "run the Worker on this machine, with bundles loaded",
    load: async () => (await import("./publishing/cli/serve.ts")).serveCommand,
  },
  {
    name: "keys",
    group: PUBLISH,
    summary: "make a key or a token; sign a bundle; say whose keys readers trust",
    load: async () => (await import("./trust/cli/keys.ts")).keysCommand,
  },
  {
    name: "verify",
    group: PUBLISH,
    summary: "the log of a benchmark's publications: its chain, and what the index says; print it",
    load: async () => (await import("./trust/cli/verify.ts")).verifyCommand,
  },
  {
    name: "forms",
    group: LOOK,
    summary: "parallel forms: disjoint subsets of items, alike in subjects and difficulty",
    load: async () => (await import("./forms/cli.ts")).formsCommand,
  },
];

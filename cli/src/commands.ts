import type { Command } from "./command.ts";

/** A row of the table of commands. */
export interface CommandEntry {
  readonly name: string;
  /** One line of the help. */
  readonly summary: string;
  /** The heading that it stands under in the help. */
  readonly group: string;
  /** Loads the command with all that it imports. */
  readonly load: () => Promise<Command>;
}

const EVALUATE = "Evaluate a model";
const FIT = "Fit a bundle";
const CHECK = "Look into a benchmark";
const SERVE = "Publish and serve";
const SHELL = "In a shell";

/** Every command of the program. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "estimate",
    summary: "a model's score on the whole benchmark from its answers to the anchors",
    group: EVALUATE,
    load: async () => (await import("./commands/estimate.ts")).estimateCommand,
  },
  {
    name: "compare",
    summary: "which of two models is better, or the ranking of several, from the same anchors",
    group: EVALUATE,
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  {
    name: "check",
    summary: "whether a model got worse, for CI; exit codes 0 passed, 3 regressed, 4 can't tell",
    group: EVALUATE,
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  {
    name: "plan",
    summary: "how many items it takes for an interval, or to tell two models apart",
    group: EVALUATE,
    load: async () => (await import("./commands/plan.ts")).planCommand,
  },
  {
    name: "export",
    summary: "the files and commands that make a harness run only the anchors",
    group: EVALUATE,
    load: async () => (await import("./commands/export.ts")).exportCommand,
  },
  {
    name: "show",
    summary: "what a bundle holds, its digests checked, and its measured errors",
    group: EVALUATE,
    load: async () => (await import("./commands/show.ts")).showCommand,
  },
  {
    name: "import",
    summary: "a harness's per-sample logs, or a long table, as a response matrix",
    group: FIT,
    load: async () => (await import("./commands/import.ts")).importCommand,
  },
  {
    name: "fit",
    summary: "a response matrix to a bundle: calibrate, choose anchors, measure the error",
    group: FIT,
    load: async () => (await import("./commands/fit.ts")).fitCommand,
  },
  {
    name: "backtest",
    summary: "repeat the whole fit without some models, and measure the error of their estimates",
    group: FIT,
    load: async () => (await import("./commands/backtest.ts")).backtestCommand,
  },
  {
    name: "replay",
    summary: "evaluate held-out models adaptively by their known answers",
    group: FIT,
    load: async () => (await import("./commands/replay.ts")).replayCommand,
  },
  {
    name: "simulate",
    summary: "draw a leaderboard that looks like a real one, with the truth beside it",
    group: FIT,
    load: async () => (await import("./commands/simulate.ts")).simulateCommand,
  },
  {
    name: "demo",
    summary: "the whole path, from a leaderboard to estimates over HTTP",
    group: FIT,
    load: async () => (await import("./commands/demo.ts")).demoCommand,
  },
  {
    name: "audit",
    summary: "items to look at by hand: likely wrong keys, copies, misfit",
    group: CHECK,
    load: async () => (await import("./commands/audit.ts")).auditCommand,
  },
  {
    name: "diff",
    summary: "which items changed since a bundle, which anchors they hit, and what still holds",
    group: CHECK,
    load: async () => (await import("./commands/diff.ts")).diffCommand,
  },
  {
    name: "forms",
    summary: "parallel forms: disjoint subsets of items, alike in subjects and difficulty",
    group: CHECK,
    load: async () => (await import("./commands/forms.ts")).formsCommand,
  },
  {
    name: "embed",
    summary: "texts to vectors, by a sentence encoder in ONNX or by TF-IDF",
    group: CHECK,
    load: async () => (await import("./commands/embed.ts")).embedCommand,
  },
  {
    name: "route",
    summary: "every model's chance of a right answer to new questions, and which model to ask",
    group: CHECK,
    load: async () => (await import("./commands/route.ts")).routeCommand,
  },
  {
    name: "publish",
    summary: "a bundle to a Worker, R2, Hugging Face, or a folder for any static host",
    group: SERVE,
    load: async () => (await import("./commands/publish.ts")).publishCommand,
  },
  {
    name: "sweep",
    summary: "remove files that broken-off publications left behind",
    group: SERVE,
    load: async () => (await import("./commands/publish.ts")).sweepCommand,
  },
  {
    name: "serve",
    summary: "run the Worker on this machine, with bundles loaded",
    group: SERVE,
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  {
    name: "token",
    summary: "a bearer token for a Worker, and the record that its secret TOKENS keeps",
    group: SERVE,
    load: async () => (await import("./commands/keys.ts")).tokenCommand,
  },
  {
    name: "keygen",
    summary: "a key that signs bundles, and the public key that readers trust",
    group: SERVE,
    load: async () => (await import("./commands/keys.ts")).keygenCommand,
  },
  {
    name: "sign",
    summary: "sign a bundle's manifest, in manifest.sig beside it",
    group: SERVE,
    load: async () => (await import("./commands/keys.ts")).signCommand,
  },
  {
    name: "completion",
    summary: "completion of commands and options: source <(anchoreval completion bash)",
    group: SHELL,
    load: async () => (await import("./completion.ts")).completionCommand,
  },
];

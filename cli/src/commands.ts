import { COMMANDS as FEATURES } from "../../features/cli.ts";
import type { CommandEntry } from "./program/command.ts";

const LOAD = {
  run: async () => (await import("./run/run.ts")).runCommand,
  estimate: async () => (await import("./commands/estimate.ts")).estimateCommand,
  compare: async () => (await import("./commands/compare.ts")).compareCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  plan: async () => (await import("./commands/plan.ts")).planCommand,
  export: async () => (await import("./commands/export.ts")).exportCommand,
  bundles: async () => (await import("./commands/show.ts")).bundlesCommand,
  show: async () => (await import("./commands/show.ts")).showCommand,
  import: async () => (await import("./commands/import.ts")).importCommand,
  fit: async () => (await import("./commands/fit.ts")).fitCommand,
  reproduce: async () => (await import("../../features/reproduce/cli.ts")).reproduceCommand,
  backtest: async () => (await import("./commands/backtest.ts")).backtestCommand,
  replay: async () => (await import("../../features/adaptive/cli/replay.ts")).replayCommand,
  simulate: async () => (await import("./commands/simulate.ts")).simulateCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  audit: async () => (await import("../../features/audit/cli.ts")).auditCommand,
  diff: async () => (await import("../../features/versions/cli/diff.ts")).diffCommand,
  embed: async () => (await import("../../features/routing/cli/embed.ts")).embedCommand,
  route: async () => (await import("../../features/routing/cli/route.ts")).routeCommand,
  publish: async () => (await import("./commands/publish.ts")).publishCommand,
  sweep: async () => (await import("./commands/publish.ts")).sweepCommand,
  yank: async () => (await import("./commands/publish.ts")).yankCommand,
  verify: async () => (await import("../../features/trust/cli/verify.ts")).verifyCommand,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  token: async () => (await import("./commands/keys.ts")).tokenCommand,
  keygen: async () => (await import("./commands/keys.ts")).keygenCommand,
  sign: async () => (await import("./commands/keys.ts")).signCommand,
  root: async () => (await import("../../features/trust/cli/root.ts")).rootCommand,
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
    bundles: "the bundles that come along, or those of a Worker or an organisation of Hugging Face",
    show: "what a bundle holds, its digests checked, and its measured errors",
  },
  "Fit a bundle": {
    import: "a harness's per-sample logs, or a long table, as a response matrix",
    fit: "a response matrix to a bundle: calibrate, choose anchors, measure the error",
    reproduce: "fit a bundle again from its own notes and the same data: identical, or what differs",
    backtest: "repeat the whole fit without some models, and measure the error of their estimates",
    replay: "evaluate held-out models adaptively by their known answers",
    simulate: "draw a leaderboard that looks like a real one, with the truth beside it",
    demo: "the whole path, from a leaderboard to estimates over HTTP",
  },
  "Look into a benchmark": {
    audit: "items to look at by hand: likely wrong keys, copies, misfit",
    diff: "which items changed since a bundle, which anchors they hit, and what still holds",
    embed: "texts to vectors, by a sentence encoder in ONNX or by TF-IDF",
    route: "every model's chance of a right answer to new questions, and which model to ask",
  },
  "Publish and serve": {
    publish: "a bundle to a Worker, R2, Hugging Face, or a folder for any static host",
    sweep: "remove files that broken-off publications left behind",
    yank: "take a published version back, or offer it again: who reads it is told, and why",
    verify: "the log of a benchmark's publications: its chain, and what the index says; print it",
    serve: "run the Worker on this machine, with bundles loaded",
    token: "a bearer token for a Worker, and the record that its secret TOKENS keeps",
    keygen: "a key that signs bundles, and the public key that readers trust",
    sign: "sign a bundle's manifest, in manifest.sig beside it; or a root",
    root: "the keys that readers trust, as a signed file: make it, change it, show it",
  },
  "In a shell": {
    completion: "completion of commands and options: source <(anchoreval completion bash)",
  },
};

/** All commands: under each heading the trunk's, then the features'. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(SUMMARIES).flatMap(([group, commands]) => [
  ...Object.entries(commands).map(([name, summary]) => ({
    name,
    summary,
    group,
    load: LOAD[name as keyof typeof LOAD],
  })),
  ...FEATURES.filter((command) => command.group === group),
]);

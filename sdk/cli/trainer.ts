import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Streams } from "./output.ts";

/** Commands that need the trainer, and what they do. */
export const TRAINER_COMMANDS = {
  simulate: "leaderboards that look like real ones, with the truth beside them",
  import: "a harness's per-sample logs as a response matrix",
  fit: "a response matrix to a bundle",
  backtest: "the error on held-out models",
  replay: "adaptive evaluations of held-out models",
  audit: "items to look at by hand: likely wrong keys, copies, misfit",
  diff: "which items changed from a bundle to a new items file, and which anchors they hit",
  forms: "parallel forms: disjoint subsets of items, alike in subjects and difficulty",
  embed: "texts to vectors, by a sentence encoder in ONNX or by TF-IDF",
  route: "which model to ask a question that none has seen",
  publish: "a bundle to a Worker, R2, the Worker's local store or a folder",
  sweep: "removes what broken-off publications left",
  serve: "the Worker on this machine, bundles loaded",
  demo: "the whole path, from responses to an estimate over HTTP",
} as const satisfies Record<string, string>;

const PACKAGE = "anchoreval-trainer";

/**
 * Runs a command in the trainer's program: same arguments, streams and exit code, signals passed on.
 * @param what - what needs it, for the message
 * @param from - places from which the package is looked for, each like a file in which it would be imported
 * @returns the trainer's exit code; 2, with the line that installs it, where it is not there
 */
export async function runTrainer(
  argv: readonly string[],
  from: readonly string[],
  streams: Pick<Streams, "stderr">,
  what: string = argv[0]!,
): Promise<number> {
  const program = findTrainer(from);
  if (program === null) {
    streams.stderr.write(
      `anchoreval: ${what} needs the trainer, which is a package of its own:\n  npm install ${PACKAGE}\n`,
    );
    return 2;
  }
  const child = spawn(process.execPath, [program, ...argv], { stdio: "inherit" });
  const pass = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to both already.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const signal of signals) process.removeListener(signal, pass);
  }
}

/** The trainer's program file, or null where the package isn't installed. */
export function findTrainer(from: readonly string[]): string | null {
  for (const place of from) {
    let folder: string;
    try {
      folder = dirname(createRequire(place).resolve(PACKAGE));
    } catch {
      continue;
    }
    for (; dirname(folder) !== folder; folder = dirname(folder)) {
      const description = join(folder, "package.json");
      if (!existsSync(description)) continue;
      const { name, bin } = JSON.parse(readFileSync(description, "utf8")) as {
        name?: string;
        bin?: string | Record<string, string>;
      };
      const program = typeof bin === "string" ? bin : bin?.[PACKAGE];
      if (name === PACKAGE && program !== undefined) return join(folder, program);
    }
  }
  return null;
}

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Estimate } from "anchoreval";
import { expect } from "vitest";
import { HARNESS_ENV } from "./harness-tasks.ts";
import { ROOT } from "./source-imports.js";

const PROGRAM = join(ROOT, "sdk/bin/anchoreval.js");

/** What the program did as a process of its own. */
interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * The program as a process of its own, with the harnesses on its PATH.
 * @param cwd - where it is called
 * @param watch - is given what Ctrl-C would do
 */
export function anchoreval(
  cwd: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  watch: (interrupt: () => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd, env: { ...HARNESS_ENV, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  child.stdin.end();
  watch(() => void child.kill("SIGINT"));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

/** The document that `run --json` prints. */
export type RunResult = Estimate & {
  readonly run: {
    readonly folder: string;
    readonly model: string;
    readonly asked: number;
    readonly of: number;
    readonly warnings: readonly string[];
  };
};

/** The score of a result equals the one that `estimate` makes of the run's own logs. */
export async function expectSameAsEstimate(
  cwd: string,
  bundle: string,
  from: string,
  { run, ...estimate }: RunResult,
): Promise<void> {
  const again = await anchoreval(cwd, [
    ...["estimate", "--bundle", bundle, "--form", estimate.form, "--from", from, "--json"],
    join(run.folder, "logs"),
  ]);
  expect(JSON.parse(again.out)).toEqual(estimate);
}

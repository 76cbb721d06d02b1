import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { parsePythonJson } from "anchoreval/internal/logs/json";
import { STANDARD } from "../program/output.ts";

/** Ctrl-C in a terminal reaches the harness too; where only this program got it, it is passed on after so long. */
const PASSED_ON_AFTER_MS = 2000;

/**
 * Runs a harness, its output on standard error, so that standard output has this program's result alone.
 * @param log - a file that its output goes to instead
 * @returns its exit code, or the signal that ended it
 * @throws AnchorEvalError `unavailable` where it can't be started; `aborted` once it has ended after Ctrl-C
 */
export async function runHarness(
  [program, ...words]: readonly string[],
  { signal, log }: { readonly signal: AbortSignal; readonly log?: string },
): Promise<number | NodeJS.Signals> {
  const file = log === undefined ? null : await open(log, "a");
  try {
    // Passed on, but to a terminal, so that a harness doesn't fail where nobody reads standard error any more.
    const output = file?.fd ?? (process.stderr.isTTY ? 2 : "pipe");
    const child = spawn(program!, words, { stdio: ["inherit", output, output] });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => STANDARD.stderr.write(text));
    const passOn = (): void => void setTimeout(() => child.kill("SIGINT"), PASSED_ON_AFTER_MS).unref();
    const end = (): void => void child.kill("SIGTERM");
    signal.addEventListener("abort", passOn, { once: true });
    process.once("SIGTERM", end);
    try {
      return await new Promise<number | NodeJS.Signals>((resolve, reject) => {
        child.once("error", (cause) =>
          reject(new AnchorEvalError("unavailable", `${program!} could not be started`, { cause })),
        );
        child.once("close", (code, by) => {
          if (signal.aborted || by === "SIGINT" || by === "SIGTERM")
            reject(new AnchorEvalError("aborted", `${program!} was stopped`));
          else resolve(code ?? by!);
        });
      });
    } finally {
      signal.removeEventListener("abort", passOn);
      process.removeListener("SIGTERM", end);
    }
  } finally {
    await file?.close();
  }
}

/**
 * Runs a script of our own in a harness's interpreter, and gives it a JSON document.
 * @returns the JSON document that it wrote to standard output
 * @throws Error with the last line of what it said, where it fails
 */
export async function askPython(python: string, script: string, input: unknown, signal: AbortSignal): Promise<unknown> {
  const child = spawn(python, ["-c", script], { stdio: ["pipe", "pipe", "pipe"], signal });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => err.push(bytes));
  child.stdin.on("error", () => undefined); // it ended early: its exit code says so
  child.stdin.end(JSON.stringify(input));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code === 0) return parsePythonJson(Buffer.concat(out).toString());
  const lines = Buffer.concat(err).toString().trim().split("\n");
  throw new Error(lines.at(-1) || `it ended with exit code ${code}`);
}

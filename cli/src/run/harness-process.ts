import { spawn, execFile } from "node:child_process";
import { open, access, constants } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { parsePythonJson } from "anchoreval/internal/logs/json";
import { STANDARD } from "../program/output.ts";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

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

/** Before a script: what it is given, and where its answer goes, to which nothing that a harness prints comes. */
const SCRIPT_HEAD = `
import json, os, sys
out = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
asked = json.load(sys.stdin)
def answer(value, **settings):
    with out:
        out.write(json.dumps(value, ensure_ascii=False, **settings))
`;

/**
 * Runs a script of our own in a harness's interpreter.
 * @param script - takes a JSON document by the name `asked`, and passes another one to `answer`
 * @throws Error with the last line of what it said, where it fails
 */
export async function askPython(python: string, script: string, input: unknown, signal: AbortSignal): Promise<unknown> {
  const child = spawn(python, ["-c", SCRIPT_HEAD + script], { stdio: ["pipe", "pipe", "pipe"], signal });
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

/** The harnesses that can be run. */
export const RUNNERS = ["lm-eval", "inspect"] as const;
export type Runner = (typeof RUNNERS)[number];

const PROGRAMS: Readonly<
  Record<Runner, { readonly title: string; readonly programs: readonly string[]; module: string; install: string }>
> = {
  "lm-eval": {
    title: "lm-evaluation-harness",
    programs: ["lm_eval", "lm-eval"],
    module: "lm_eval",
    install: 'pip install "lm_eval[hf]"',
  },
  inspect: { title: "Inspect", programs: ["inspect"], module: "inspect_ai", install: "pip install inspect_ai" },
};

/** A harness that is installed on this machine. */
export interface Installed {
  /** Starts it; the first word is a program. */
  readonly command: readonly string[];
  /** The interpreter that it runs in; null where that can't be told. */
  readonly python: string | null;
}

/**
 * Finds an installed harness: its own program on the PATH, else its module in `python3` or `python`.
 * @throws AnchorEvalError `unsupported`, with the line that installs it
 */
export async function findHarness(name: Runner): Promise<Installed> {
  const { title, programs, module, install } = PROGRAMS[name];
  for (const program of programs)
    for (const file of await onPath(program)) {
      const python = await interpreterOf(file, module);
      // Other programs are called inspect, too.
      if (python !== null || name === "lm-eval") return { command: [program], python };
    }
  for (const python of ["python3", "python"])
    if (await hasModule(python, module)) return { command: [python, "-m", module], python };
  throw new AnchorEvalError(
    "unsupported",
    `${title} isn't installed here: there is no ${programs[0]!} on the PATH, and python3 has no ${module}; install it:\n  ${install}`,
  );
}

/** The files on the PATH that a program's name may mean, the first one first. */
async function onPath(program: string): Promise<string[]> {
  const names = process.platform === "win32" ? [`${program}.exe`] : [program];
  const files = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => names.map((file) => join(folder, file)));
  const executable = await Promise.all(files.map((file) => succeeds(access(file, constants.X_OK))));
  return files.filter((_, index) => executable[index]);
}

/** The interpreter that pip wrote into a program's first lines, or the one beside it; null where neither has the module. */
async function interpreterOf(file: string, module: string): Promise<string | null> {
  const head = await firstBytes(file);
  // A path that is too long for the first line stands in the second: '''exec' "/long/python" "$0" "$@"
  const named = /^#!\s*(\S*python[\d.]*)\s*$/m.exec(head)?.[1] ?? /exec' "?(.+?)"? "\$0"/.exec(head)?.[1];
  const beside = ["python3", "python", "python.exe"].map((python) => join(dirname(file), python));
  for (const python of named === undefined ? beside : [named, ...beside])
    if (await hasModule(python, module)) return python;
  return null;
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await handle.close();
  }
}

async function hasModule(python: string, module: string): Promise<boolean> {
  const code = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)`;
  return succeeds(promisify(execFile)(python, ["-c", code]));
}

function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  );
}

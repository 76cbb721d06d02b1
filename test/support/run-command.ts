import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../cli/src/main.ts";

/** What a command printed, and its exit code. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs the program in this process.
 * @param onRemark - called with everything that is written to standard error, and what Ctrl-C would call
 * @param terminal - standard error is one, and shows progress
 */
export async function runProgram(
  argv: readonly string[],
  onRemark: (text: string, interrupt: () => void) => void = () => undefined,
  terminal = false,
): Promise<CommandResult> {
  let [out, err] = ["", ""];
  const before = new Set(process.listeners("SIGINT"));
  const interrupt = (): void => {
    for (const listener of process.listeners("SIGINT")) if (!before.has(listener)) listener("SIGINT");
  };
  const code = await main(argv, {
    stdout: { write: (text: string) => (out += text) },
    stderr: {
      isTTY: terminal,
      write: (text: string) => {
        err += text;
        onRemark(text, interrupt);
      },
    },
  });
  return { code, out, err };
}

/** Runs the program in this process. */
export function runCommand(...argv: string[]): Promise<CommandResult> {
  return runProgram(argv);
}

/**
 * Arguments in which an option that takes one value is given once: as the last one says, where a test puts another in place
 * of its usual ones.
 */
export function lastGiven(argv: readonly string[]): string[] {
  const name = (k: number): string => (argv[k] === "--set" ? `--set ${argv[k + 1]?.split("=")[0]}` : argv[k]!);
  const at = new Map(argv.map((_, k) => [name(k), k]));
  return argv.filter((word, k) => {
    const replaced = (own: number): boolean => argv[own]?.startsWith("--") === true && at.get(name(own))! > own;
    return !replaced(k) && !(replaced(k - 1) && !word.startsWith("--"));
  });
}

/** Every file below a folder with its digest, folders by their names alone. */
export function listing(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .map((entry): [string, string] => {
        const path = join(entry.parentPath, entry.name);
        if (entry.isDirectory()) return [`${path}/`, ""];
        return [path, createHash("sha256").update(readFileSync(path)).digest("hex")];
      })
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** The files of a folder by name. */
export function filesOf(folder: string): Record<string, Buffer> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name))]),
  );
}

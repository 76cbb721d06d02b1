import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../../offline-trainer/src/cli/main.ts";

export interface TrainerRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a command of the trainer in this process.
 * @param onRemark - called with everything that is written to standard error, and what Ctrl-C would call
 * @param terminal - standard error is one, and shows progress
 */
export async function runTrainer(
  argv: readonly string[],
  onRemark: (text: string, interrupt: () => void) => void = () => undefined,
  terminal = false,
): Promise<TrainerRun> {
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

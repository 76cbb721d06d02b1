import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "./source-imports.js";

/** A process that stands still, or has ended. */
export interface StoppedProcess {
  /** False where it came to its end before. */
  readonly stands: boolean;
  /** Lets it go on. @returns what it wrote, once it has ended */
  goOn(): Promise<string>;
}

/** The address of what kills or stops a process at a call, for `--import`. */
export const HOOK = pathToFileURL(join(ROOT, "test/support/kill-at.js")).href;

/** The address of a built module of the SDK, for scripts. @example sdkModule("node/folder") */
export function sdkModule(path: string): string {
  return pathToFileURL(join(ROOT, `sdk/dist/sdk/${path}.js`)).href;
}

/** A script in a process of its own, counting calls that change something on the disk. */
export function startScript(script: string, words: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ["--import", HOOK, "--input-type=module", "-e", script, ...words], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Waits until a script stands still before its k-th call that changes something on the disk, or has ended. */
export async function stopScript(script: string, words: readonly string[], at: number): Promise<StoppedProcess> {
  const child = startScript(script, words, { STOP_AT: String(at) });
  let wrote = "";
  child.stdout!.on("data", (part: Buffer) => (wrote += part.toString()));
  const ended = new Promise<string>((resolve) => child.once("close", () => resolve(wrote)));
  const stat = `/proc/${child.pid}/stat`;
  const isStopped = (): boolean => existsSync(stat) && /\) T /.test(readFileSync(stat, "latin1"));
  while (child.exitCode === null && !isStopped()) await sleep(2);
  return {
    stands: child.exitCode === null,
    goOn: () => {
      child.kill("SIGCONT");
      return ended;
    },
  };
}

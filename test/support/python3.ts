import { execFileSync, spawnSync } from "node:child_process";

/** The program of Python, or null where there is none. */
export const PYTHON3 = hasPython() ? "python3" : null;

function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Runs a Python file with packages of a folder. @returns its exit code and what it prints */
export function runPython(
  argv: readonly string[],
  { cwd, packages, env = {} }: { readonly cwd: string; readonly packages?: string; readonly env?: Record<string, string> }, // prettier-ignore
): { readonly code: number | null; readonly out: string; readonly err: string } {
  const path = packages === undefined ? {} : { PYTHONPATH: packages };
  const { status, stdout, stderr } = spawnSync("python3", argv, {
    ...{ cwd, encoding: "utf8" },
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...path, ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

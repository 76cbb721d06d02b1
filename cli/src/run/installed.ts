import { execFile } from "node:child_process";
import { access, constants, open } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { AnchorEvalError } from "anchoreval/internal/core/errors";

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
  const executable = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
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
  return promisify(execFile)(python, ["-c", code]).then(
    () => true,
    () => false,
  );
}

import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import type { RunLog } from "../logs/run-log.ts";

/**
 * The files under a path, by name, those of all folders in it too; each once, also where links lead to it twice.
 * @param seen - real paths that were given already
 * @throws AnchorEvalError `not_found`, `unavailable`
 */
export async function* walkFiles(path: string, seen: Set<string>): AsyncGenerator<string, void, undefined> {
  let isFolder: boolean;
  try {
    const real = await realpath(path);
    if (seen.has(real)) return;
    seen.add(real);
    isFolder = (await stat(real)).isDirectory();
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new AnchorEvalError(
      missing ? "not_found" : "unavailable",
      missing ? `${path}: there is no such file or folder` : `${path} could not be read`,
      { cause },
    );
  }
  if (!isFolder) yield path;
  else for (const name of (await readdir(path)).sort()) yield* walkFiles(join(path, name), seen);
}

/**
 * The same logs under another model's name.
 * @throws AnchorEvalError `invalid_option` where they are of several models
 */
export function renameModel(logs: readonly RunLog[], modelName: string): RunLog[] {
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_option",
      `--model-name is for the logs of one model, and these are of ${models.length}: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}`,
    );
  return logs.map((log) => ({ ...log, model: modelName }));
}

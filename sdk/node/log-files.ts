import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { AnchorEvalError } from "../core/errors.ts";
import type { Choose } from "../logs/choices.ts";
import type { RunLog } from "../logs/run-log.ts";
import type { ScaleOptions } from "../tables/score-reader.ts";

/** How logs are found. */
export interface FindOptions {
  /** The model's name, where all logs are of one model. */
  readonly modelName?: string | undefined;
  /** Told of what was found and can't be read, such as runs that were broken off. @default nobody is */
  readonly onRemark?: ((words: string) => void) | undefined;
}

/** How logs are read: the metric and filter that count, and the scale. */
export interface ReadLogOptions extends ScaleOptions {
  readonly metric: Choose;
  readonly filter: Choose;
}

/**
 * The files under some paths, by name, those of all folders in them too; each once, also where links lead to it twice.
 * @returns with each file whether it was named itself
 * @throws AnchorEvalError `not_found`, `unavailable`
 */
export async function* findFiles(
  paths: readonly string[],
): AsyncGenerator<{ readonly file: string; readonly named: boolean }, void, undefined> {
  const seen = new Set<string>();
  for (const path of paths) for await (const file of walk(path, seen)) yield { file, named: file === path };
}

async function* walk(path: string, seen: Set<string>): AsyncGenerator<string, void, undefined> {
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
  else for (const name of (await readdir(path)).sort()) yield* walk(join(path, name), seen);
}

/**
 * The same logs under another model's name, where one is given.
 * @throws AnchorEvalError `invalid_option` where they are of several models
 */
export function renameModel(logs: RunLog[], modelName: string | undefined): RunLog[] {
  if (modelName === undefined) return logs;
  const models = [...new Set(logs.map((log) => log.model))];
  if (models.length > 1)
    throw new AnchorEvalError(
      "invalid_option",
      `--model-name is for the logs of one model, and these are of ${models.length}: ${models.slice(0, 5).join(", ")}${models.length > 5 ? ", …" : ""}`,
    );
  return logs.map((log) => ({ ...log, model: modelName }));
}

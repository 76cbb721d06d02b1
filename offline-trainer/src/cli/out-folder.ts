import { mkdir, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AnchorEvalError } from "anchoreval/core";

/**
 * Refuses a path that can't become a folder, since it or what it would lie in is a file. Nothing is made.
 * @param option - for the message, for example `--out`
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkOutFolder(option: string, folder: string): Promise<void> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const there = await stat(path).catch(() => null);
    if (there?.isDirectory() === true || (there === null && path === dirname(path))) return;
    if (there !== null)
      throw new AnchorEvalError("invalid_option", `${option} ${folder} can't be made a folder: ${path} is a file`);
  }
}

/**
 * Makes a folder and writes files into it. Where that fails, what was written is removed, and so is the folder if it
 * was made for them.
 * @param write - is given the path of each file
 * @throws AnchorEvalError `unavailable`
 */
export async function writeOutFolder(
  folder: string,
  files: readonly string[],
  write: (...paths: string[]) => Promise<void>,
): Promise<void> {
  const paths = files.map((name) => join(folder, name));
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    await write(...paths);
  } catch (cause) {
    const leftovers = made === undefined ? paths : [made];
    await Promise.all(
      leftovers.map((path) => rm(path, { recursive: made !== undefined, force: true }).catch(() => undefined)),
    );
    throw new AnchorEvalError("unavailable", `${folder} could not be written`, { cause });
  }
}

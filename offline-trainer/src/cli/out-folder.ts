import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AnchorEvalError } from "anchoreval/core";
import { whyNotWritable } from "../publish/writable-place.ts";

/**
 * Refuses, before the work, a path that can't become a folder to write into. Nothing is made.
 * @param option - for the message, for example `--out`
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkOutFolder(option: string, folder: string): Promise<void> {
  const why = await whyNotWritable(folder);
  if (why !== null) throw new AnchorEvalError("invalid_option", `${option} ${folder} can't be made a folder: ${why}`);
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

import { rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { AnchorEvalError } from "anchoreval/core";
import { writeText } from "../matrix/write-tables.ts";
import { whyNotWritable } from "../publish/bundle-folder.ts";

/**
 * Refuses, before the work, a path that a result could not be written to.
 * @param option - for the message, for example `--out`
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkOutFile(option: string, file: string): Promise<void> {
  const isFolder = async (path: string): Promise<boolean> =>
    (await stat(path).catch(() => null))?.isDirectory() === true;
  if (!(await isFolder(dirname(file))))
    throw new AnchorEvalError("invalid_option", `${option} ${file} can't be written: ${dirname(file)} is no folder`);
  if (await isFolder(file))
    throw new AnchorEvalError("invalid_option", `${option} ${file} can't be written: it is a folder`);
  const why = await whyNotWritable(dirname(file));
  if (why !== null) throw new AnchorEvalError("invalid_option", `${option} ${file} can't be written: ${why}`);
}

/**
 * Writes text to a file, as gzip where the name ends in .gz: wholly, or not at all.
 * @throws AnchorEvalError `unavailable`
 */
export async function writeOutFile(file: string, pieces: Iterable<string>): Promise<void> {
  const draft = file.endsWith(".gz") ? `${file.slice(0, -3)}.part.gz` : `${file}.part`;
  try {
    await writeText(draft, pieces);
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new AnchorEvalError("unavailable", `${file} could not be written`, { cause });
  }
}

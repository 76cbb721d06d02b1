import { link, lstat, open, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder, withDraft } from "./drafts.ts";
import { hasCode, unwritable } from "./system-error.ts";

/** A file's content, or what writes it to the path that it is given. */
export type FileContent = string | Uint8Array | ((path: string) => Promise<unknown>);

/**
 * Writes a file wholly or not at all, whenever the process is killed: a draft that is on the disk takes its place. What is
 * no file, such as a link or a pipe, is written to as it is: /dev/stdout is both.
 * @throws AnchorEvalError `unavailable`, with the reason
 */
export async function replaceFile(path: string, content: FileContent): Promise<void> {
  try {
    const there = await lstat(path).catch(() => null);
    if (there && !there.isFile()) {
      await (typeof content === "function" ? content(path) : writeFile(path, content));
      return;
    }
    await withDraft(dirname(path), async (draft) => {
      const whole = join(draft.path, basename(path));
      await writeSynced(whole, content);
      await rename(whole, path);
      await syncFolder(dirname(path));
    });
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/**
 * Writes a file that isn't there yet, wholly or not at all.
 * @param mode - its rights
 * @returns false where one is there: nothing was written
 * @throws AnchorEvalError `unavailable`, with the reason
 */
export async function createFile(path: string, content: FileContent, mode?: number): Promise<boolean> {
  try {
    return await withDraft(dirname(path), async (draft) => {
      const whole = join(draft.path, basename(path));
      await writeSynced(whole, content, mode);
      await link(whole, path);
      await syncFolder(dirname(path));
      return true;
    });
  } catch (cause) {
    if (hasCode(cause, "EEXIST")) return false;
    throw unwritable(path, cause);
  }
}

/** Writes a new file that is on the disk afterwards. */
export async function writeSynced(path: string, content: FileContent, mode?: number): Promise<void> {
  if (typeof content === "function") {
    await content(path);
    return syncFile(path);
  }
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Sees to it that a file's content is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

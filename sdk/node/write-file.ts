import { randomUUID } from "node:crypto";
import { link, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** How a draft's name ends: one that is there for long was left by a process that was killed. */
export const DRAFT = ".tmp";

/** Reasons of the file system in words; others are told as they come. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "no space is left on the disk"],
  ["EDQUOT", "the disk quota is used up"],
  ["EROFS", "the file system is read-only"],
  ["EACCES", "permission denied"],
  ["EPERM", "the operation isn't permitted"],
  ["ENOENT", "there is no such file or folder"],
  ["ENOTDIR", "a part of the path isn't a folder"],
  ["EISDIR", "it is a folder"],
  ["ENAMETOOLONG", "the name is too long"],
  ["EMFILE", "too many files are open"],
  ["EIO", "the disk failed"],
]);

/**
 * Why the file system refused, in words and with its code.
 * @example whyNot(error) // "no space is left on the disk (ENOSPC)"
 */
export function whyNot(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const words = REASONS.get(code);
  return words === undefined ? message : `${words} (${code})`;
}

/**
 * Writes a file beside its target, on the disk and not only in memory, and puts it in its place: the target never holds half a
 * file, and after a power cut it holds the old or the new one. Processes that write the same file have a draft each.
 * @throws what the file system throws: see {@link whyNot}
 */
export async function withDraft<T>(
  target: string,
  write: (draft: string) => Promise<unknown>,
  place: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `${target}.${randomUUID()}${DRAFT}`;
  try {
    await write(draft);
    await toDisk(draft);
    const result = await place(draft);
    await toDisk(dirname(target));
    return result;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // a leftover does no harm, the error before it matters
  }
}

/** Waits until a file's content, or a folder's list of names, is on the disk. */
export async function toDisk(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => null); // a folder on Windows can't be opened
  try {
    await handle?.sync();
  } catch (error) {
    if (!hasCode(error, "EINVAL", "ENOTSUP", "EPERM", "EISDIR")) throw error;
  } finally {
    await handle?.close();
  }
}

/**
 * Writes a file wholly or not at all, in the place of one that is there; where a link is, what it points to. What is no file,
 * such as a pipe, is written into.
 * @throws as {@link withDraft}
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const there = await existing(() => stat(path));
  if (there !== null && !there.isFile()) return writeFile(path, content);
  const target = there === null ? path : await realpath(path);
  await withDraft(
    target,
    (draft) => writeFile(draft, content, { flag: "wx" }),
    (draft) => rename(draft, target),
  );
}

/** Writes a file that isn't there yet. @param mode - its rights @returns false where one is: nothing was written */
export function createFile(path: string, content: string | Uint8Array, mode = 0o666): Promise<boolean> {
  return withDraft(
    path,
    (draft) => writeFile(draft, content, { flag: "wx", mode }),
    (draft) => linked(draft, path),
  );
}

/** Gives a file a second name. @returns false where the name is taken */
async function linked(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** True for an error of the system of one of these codes. @example hasCode(error, "ENOENT") */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

/** The action's result; null where nothing is there. */
export async function existing<T>(action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

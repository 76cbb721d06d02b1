import { mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isGone, ownerName } from "./owner.ts";
import { hasCode, systemReason } from "./system-error.ts";

/** A hidden folder for what isn't whole yet, beside where it goes. */
export interface Draft {
  /** The only name of its kind; it says which process made the draft. */
  readonly owner: string;
  readonly path: string;
}

/** Names that the program makes for itself in folders of others: never a result, never an object. */
const OWN_NAME = /^\.anchoreval-/;
const DRAFT = /^\.anchoreval-(.+)\.tmp$/;
const LOCK = /^\.anchoreval-.+\.lock$/;
/** Files that versions before drafts left where they were killed. */
const FORMER = /\.(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp|lock)$/;

/** Whether a name is the program's own, such as a draft, or was left by an earlier version. */
export function isLeftover(name: string, isFile: boolean): boolean {
  return OWN_NAME.test(name) || (isFile && FORMER.test(name));
}

/** The path of a draft. @param folder - where it lies */
export function draftPath(folder: string, owner: string): string {
  return join(folder, `.anchoreval-${owner}.tmp`);
}

/** The path of a file's lock. */
export function lockPath(folder: string, name: string): string {
  return join(folder, `.anchoreval-${name}.lock`);
}

/** Works in a draft, which is gone afterwards; so are those that killed processes left there. @param folder - made where it is missing */
export async function withDraft<T>(folder: string, action: (draft: Draft) => Promise<T>): Promise<T> {
  await makeFolder(folder);
  await removeAbandoned(folder);
  const owner = ownerName();
  const path = draftPath(folder, owner);
  await mkdir(path);
  try {
    return await action({ owner, path });
  } finally {
    await rm(path, { recursive: true, force: true }).catch(() => undefined); // the next one there removes it
  }
}

/** Removes drafts and locks of processes that are gone. What can't be removed does no harm. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue; // nor a link to one: others may write here
    const path = join(folder, entry.name);
    const [, owner] = DRAFT.exec(entry.name) ?? [];
    if (owner !== undefined && isGone(owner)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    if (LOCK.test(entry.name)) await emptyLock(path, isGone).catch(() => undefined);
  }
}

/** Lets those go out of a lock that are to. Each is removed by its own name: who comes in meanwhile stays. */
async function emptyLock(lock: string, isToGo: (owner: string) => boolean): Promise<void> {
  for (const owner of await readdir(lock)) if (isToGo(owner)) await rm(join(lock, owner), { force: true });
  await rmdir(lock);
}

/**
 * Removes what killed publications left in a folder, as far as it is older than a time.
 * @param before - @unit milliseconds since 1970
 * @returns their paths from the folder on
 */
export async function sweepDrafts(
  folder: string,
  { before, dryRun }: { readonly before: number; readonly dryRun: boolean },
): Promise<string[]> {
  const removed: string[] = [];
  const sweep = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const name = below + entry.name;
      const path = join(folder, name);
      if (!isLeftover(entry.name, entry.isFile())) {
        // Other folders beside that of the bundles are a site's own.
        if (entry.isDirectory() && (below !== "" || name === "bundles")) await sweep(`${name}/`);
        continue;
      }
      const written = (await stat(path).catch(() => null))?.mtimeMs ?? Infinity;
      if (written >= before) continue;
      removed.push(name);
      if (dryRun) continue;
      if (entry.isDirectory() && LOCK.test(entry.name)) await emptyLock(path, () => true).catch(() => undefined);
      else await rm(path, { recursive: true, force: true });
    }
  };
  await sweep("");
  return removed.sort();
}

/**
 * Why nothing can be made in a folder, or in what it would lie in: what is there is a file, or may not be written to. Null
 * where something can. It is tried, by an empty folder that is removed at once: rights alone don't tell.
 * @example const why = await whyNotWritable("out/mine"); // "out is a file"
 */
export async function whyNotWritable(folder: string): Promise<string | null> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const there = await stat(path).catch(() => null);
    if (there === null && path !== dirname(path)) continue;
    if (there?.isDirectory() === false) return `${path} is a file`;
    try {
      await withDraft(path, () => Promise.resolve());
      return null;
    } catch (error) {
      return `${path} can't be written to: ${systemReason(error)}`;
    }
  }
}

/** Makes a folder that lasts, and those that it lies in. @returns the first that wasn't there */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return undefined;
  const first = resolve(made);
  for (let path = resolve(folder); path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
  return first;
}

/** Sees to it that a folder's names are on the disk, where the system has that for folders. */
export async function syncFolder(path: string): Promise<void> {
  let handle;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    if (!hasCode(error, "EPERM", "EACCES", "EISDIR", "EINVAL", "EBADF", "ENOTSUP", "ENOSYS")) throw error;
  } finally {
    await handle?.close();
  }
}

import { hash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnchorEvalError } from "../core/errors.ts";
import { isRunning } from "./swap-file.ts";
import { existing, toDisk, whyNot } from "./write-file.ts";

/** Files that are complete, and are taking the places of those of their folder. */
const NEXT = ".anchoreval-next";
/** Begins the name of a folder with files that are being written, before this machine's name and the process. */
const DRAFT_FOLDER = ".anchoreval-draft-";
/** In the place of a file that is to go. */
const GONE = ".gone";
/** A draft that is as old was left by a process of another machine. @unit milliseconds */
const LEFT_AFTER = 24 * 3600 * 1000;

/** Longest wait for another process that puts files in their places. @unit milliseconds */
const PATIENCE = 1000;
const POLL = 20;

/** Whether a name in a folder is of files that are being replaced, and none of the folder's files. */
export function isBeingReplaced(name: string): boolean {
  return name === NEXT || name.startsWith(DRAFT_FOLDER);
}

/**
 * Replaces files of a folder together. They are written into a folder of their own in it, and are on the disk before that gets
 * the name that says so; then each takes its place. Whatever ends the process in between, whoever reads from the folder next
 * ({@link settleFolder}), or writes to it, finds the old files or puts the new ones in their places.
 * @param write - writes the files into the folder that it is given
 * @param gone - files that are removed, where they are there; folders stay
 * @throws what `write` and the file system throw; nothing is replaced then
 */
export async function replaceFiles(
  folder: string,
  write: (draft: string) => Promise<unknown>,
  gone: readonly string[] = [],
): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  let draft: string | undefined;
  try {
    draft = await makeDraft(folder);
    await write(draft);
    const names = await readdir(draft);
    for (const name of gone) if (!names.includes(name)) await mkdir(join(draft, name + GONE));
    for (const name of names) await toDisk(join(draft, name));
    await toDisk(draft);
    while (!(await commit(draft, join(folder, NEXT)))) await settleFolder(folder); // another's come first
    await toDisk(folder);
    await settleFolder(folder);
  } catch (error) {
    draft = made ?? draft; // a folder that was made for them goes with them
    throw error;
  } finally {
    if (draft !== undefined) await rm(draft, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Makes a folder for drafts in a folder, and removes those of processes that are gone. */
export async function makeDraft(folder: string): Promise<string> {
  await removeLeftDrafts(folder);
  return mkdtemp(join(folder, `${DRAFT_FOLDER}${machine()}-${process.pid}-`));
}

/** @returns false where the name is taken */
async function commit(draft: string, next: string): Promise<boolean> {
  if ((await existing(() => stat(next))) !== null) return false;
  try {
    await rename(draft, next);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/**
 * Ends what a process began that was killed while it replaced a folder's files: the new ones take their places.
 * @throws AnchorEvalError `unavailable` where they can't
 */
export async function settleFolder(folder: string): Promise<void> {
  const next = join(folder, NEXT);
  const names = await readdir(next).catch(() => null); // none, or a folder whose files can't be read either
  if (names === null) return;
  try {
    for (const name of names.sort()) {
      if (!name.endsWith(GONE)) {
        await existing(() => rename(join(next, name), join(folder, name)));
        continue;
      }
      // The folder may be anybody's: a file in it may go, never a folder, and neither `..` nor the folder itself.
      const path = join(folder, name.slice(0, -GONE.length));
      if ((await existing(() => lstat(path)))?.isDirectory() === false) await existing(() => unlink(path));
      await existing(() => rmdir(join(next, name)));
    }
    await toDisk(folder);
    await existing(() => rmdir(next));
  } catch (cause) {
    // Another process, which may write here, is perhaps about to do it.
    for (let wait = 0; wait < PATIENCE; wait += POLL) {
      if ((await existing(() => stat(next))) === null) return;
      await sleep(POLL);
    }
    throw new AnchorEvalError(
      "unavailable",
      `${folder} was left by a command that was killed while it replaced the files there, and they can't be put in their places: ${whyNot(cause)}; make it writable and run again`,
      { cause },
    );
  }
}

async function removeLeftDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, place, pid] = new RegExp(`^\\${DRAFT_FOLDER}(\\w+)-(\\d+)-`).exec(name) ?? [];
    if (pid === undefined) continue;
    const path = join(folder, name);
    const since = (await existing(() => stat(path)))?.mtimeMs ?? 0;
    if (place === machine() ? !isRunning(Number(pid)) : Date.now() - since > LEFT_AFTER)
      await rm(path, { recursive: true, force: true });
  }
}

/** This machine, in a few letters. */
function machine(): string {
  return hash("sha1", hostname()).slice(0, 8);
}

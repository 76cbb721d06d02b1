import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnchorEvalError } from "../core/errors.ts";
import { isGone, thisPlace } from "./owner.ts";
import { existing, hasCode, toDisk, whyNot } from "./write-file.ts";

/** Holds the files that are complete, and are taking their places: in a folder whose name is of who puts them there. */
const NEXT = ".anchoreval-next";
/** In it, the files, empty ones in the name of those that are to go, and what was replaced. */
const PARTS = ["new", "gone", "old"] as const;
/** Begins the name of a folder with files that are being written, before its process. */
const DRAFT_FOLDER = ".anchoreval-draft-";
/** A draft that is as old was left, whoever made it. @unit milliseconds */
const LEFT_AFTER = 24 * 3600 * 1000;

/** Longest wait for other processes that put files in their places. @unit milliseconds */
const PATIENCE = 1000;
const POLL = 20;

/** Whether a name in a folder is of files that are being replaced, and none of the folder's files. */
export function isBeingReplaced(name: string): boolean {
  return name === NEXT || name.startsWith(DRAFT_FOLDER);
}

/** Whether a folder has files that are yet to be put in their places. */
export function isUnsettled(folder: string): boolean {
  return existsSync(join(folder, NEXT));
}

/**
 * Replaces files of a folder together. They are written into a folder of their own in it, and are on the disk before that gets
 * the name that says so; then each takes its place. Whatever ends the process in between, whoever reads from the folder next
 * ({@link settleFolder}), or writes to it, finds the old files or puts the new ones in their places.
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
    const files = join(draft, randomUUID());
    const [fresh, going] = PARTS.map((part) => join(files, part)) as [string, string, string];
    for (const part of PARTS) await mkdir(join(files, part), { recursive: true });
    await write(fresh);
    const names = await readdir(fresh);
    for (const name of names) if (await isFolder(join(folder, name))) throw new Error(`${name} is a folder`);
    for (const name of gone) if (!names.includes(name)) await writeFile(join(going, name), "");
    for (const path of [...names.map((name) => join(fresh, name)), fresh, going, files, draft]) await toDisk(path);
    await commit(draft, folder);
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
  return mkdtemp(join(folder, `${DRAFT_FOLDER}${thisPlace()}-${process.pid}-`));
}

/** Gives files the name that says that they are complete; others' come first. */
async function commit(draft: string, folder: string): Promise<void> {
  for (let waited = 0; ; waited += POLL) {
    if (!(await rename(draft, join(folder, NEXT)).then(() => false, isFull))) return;
    if (waited >= PATIENCE) throw new Error(`${NEXT} there is in the way: remove it`);
    await settleFolder(folder);
    await sleep(POLL);
  }
}

/** True for the error of a renaming to what has files or is none, or of its removal. @throws any other */
function isFull(error: unknown): boolean {
  if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return true;
  throw error;
}

async function isFolder(path: string): Promise<boolean> {
  return (await existing(() => lstat(path)))?.isDirectory() === true;
}

/**
 * Ends what a process began that was killed while it replaced a folder's files: the new ones take their places.
 * @throws AnchorEvalError `unavailable` where they can't
 */
export async function settleFolder(folder: string): Promise<void> {
  const next = join(folder, NEXT);
  try {
    // A link's files would be another folder's; a folder that can't be looked into is told of by who reads from it.
    for (let waited = 0; await isFolder(next).catch(() => false); waited += POLL) {
      const begun = (await readdir(next, { withFileTypes: true })).filter((entry) => entry.isDirectory());
      for (const { name } of begun) await placeFiles(folder, name);
      const isLeft = (await existing(() => rmdir(next).then(() => false, isFull))) ?? false;
      if (!isLeft || begun.length === 0) return;
      if (waited >= PATIENCE) throw new Error("others have been at it all the time");
      await sleep(POLL); // another has taken them over, or has new ones
    }
  } catch (cause) {
    // Another process, which may write here, is perhaps about to do it.
    for (let waited = 0; waited < PATIENCE; waited += POLL) {
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

/**
 * Puts files in their places in a folder, which may be anybody's. Who does so takes them over by a name of its own: every step
 * is a renaming from there or to there, which fails once another has taken them over, however long this process stood still. The
 * old ones go first: whoever looks in between, with other programs, misses files, and doesn't find old ones beside new.
 */
async function placeFiles(folder: string, begun: string): Promise<void> {
  const taken = join(folder, NEXT, randomUUID());
  const [fresh, going, old] = PARTS.map((part) => join(taken, part)) as [string, string, string];
  const move = (from: string, to: string) => existing(() => rename(from, to));
  await move(join(folder, NEXT, begun), taken);
  const names = (await existing(() => readdir(fresh))) ?? [];
  for (const name of [...((await existing(() => readdir(going))) ?? []), ...names])
    if (!(await isFolder(join(folder, name)))) await move(join(folder, name), join(old, name));
  for (const name of names) await move(join(fresh, name), join(folder, name));
  await toDisk(folder);
  await rm(taken, { recursive: true, force: true });
}

async function removeLeftDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, place, pid] = new RegExp(`^\\${DRAFT_FOLDER}(\\w+)-(\\d+)-`).exec(name) ?? [];
    if (place === undefined) continue;
    const path = join(folder, name);
    const since = (await existing(() => stat(path)))?.mtimeMs ?? 0;
    if (isGone(place, Number(pid)) || Date.now() - since > LEFT_AFTER) await rm(path, { recursive: true, force: true });
  }
}

import { lstat, readdir, readFile, rename, rm, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AnchorEvalError } from "../core/errors.ts";
import { lockPath, syncFolder, withDraft } from "./drafts.ts";
import { isGone, ownerWords } from "./owner.ts";
import { hasCode, systemReason, unreadable, unwritable } from "./system-error.ts";
import { writeSynced } from "./whole-file.ts";

/** How long a holder is waited for. */
export interface WaitOptions {
  /** Milliseconds after which one that nobody knows to be gone stands still. @default 10 s */
  readonly staleAfter?: number | undefined;
}

/**
 * A lock is a folder with one entry, whose name is its holder's alone. Who comes in moves a folder of his own to that place, which
 * fails while another's entry is there; who goes out, or is put out, loses the entry by its name, so that nobody puts out another
 * one than he meant. Work counts by a renaming of what lies in the entry: of who was put out it fails, however long he stood still.
 */
interface Lock extends WaitOptions {
  readonly path: string;
  /** Called with a holder that is gone or stands still, who is to be out of the way afterwards. */
  readonly giveWay: (holder: string) => Promise<void>;
}

/** Locks are held for some reading and a renaming: milliseconds. */
const STALE_AFTER = 10_000;
const LOOK_EVERY = 10;
/** Holders that may stand still one after another before waiting ends. */
const MOST_STALE = 6;

/**
 * Waits while others hold a lock. No clock is compared: a holder stands still where this process has looked for so long and
 * seen the same one.
 * @param arrive - whether it was free
 * @throws AnchorEvalError `unavailable`, which names the holder, after a minute
 */
export async function passLock(
  { path, giveWay, staleAfter = STALE_AFTER }: Lock,
  arrive: () => Promise<boolean>,
): Promise<void> {
  let seen: string | null = null;
  let looks = 0;
  for (let all = 0; !(await arrive()); all++) {
    const holder = await holderOf(path);
    if (holder === null) await rmdir(path).catch(() => undefined); // an empty one is in the way on Windows
    looks = holder !== null && holder === seen ? looks + 1 : 0;
    seen = holder;
    if (holder !== null && (LOOK_EVERY * looks >= staleAfter || isGone(holder))) await giveWay(holder);
    if (LOOK_EVERY * all > MOST_STALE * staleAfter) throw await stillHeld(path, holder);
    await sleep(LOOK_EVERY);
  }
}

/** Who holds a lock; null where nobody does. */
export async function holderOf(lock: string): Promise<string | null> {
  try {
    // A link would lead to entries that are no holders.
    if (!(await lstat(lock)).isDirectory()) throw new Error(`${lock} is in the way: delete it`);
    return (await readdir(lock))[0] ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Comes into a lock with a folder of one's own. @returns false where another is there */
export async function moveInto(lock: string, folder: string): Promise<boolean> {
  try {
    await rename(folder, lock);
    return true;
  } catch (error) {
    // Windows has no renaming onto a folder, and refuses access while one of that name is being removed.
    if (hasCode(error, "ENOTEMPTY", "EEXIST", ...(process.platform === "win32" ? ["EPERM", "EACCES", "EBUSY"] : [])))
      return false;
    throw error;
  }
}

async function stillHeld(lock: string, holder: string | null): Promise<AnchorEvalError> {
  const since = (await lstat(lock).catch(() => null))?.mtime.toISOString();
  const last =
    holder === null ? "" : `, at last by ${ownerWords(holder)}${since === undefined ? "" : ` since ${since}`}`;
  return new AnchorEvalError(
    "unavailable",
    `${lock} has been held by others all the time${last}: try again; if that process is gone or hangs, end it and delete ${lock}`,
  );
}

/** Times that a process may be put out while it stands still before it gives up. */
const ATTEMPTS = 5;

/**
 * Replaces a file if its content is still an expected one: of many processes that do so at once each comes after another, and none
 * undoes what another wrote. The new content is the entry in the lock: its renaming is what counts, and it is in nobody's power
 * any more once another came in.
 * @param isExpected - is given the file's content as it is now, null where there is no file
 * @returns false where it is another one: nothing was written
 * @throws AnchorEvalError `unavailable`, with the reason
 */
export async function replaceIf(
  path: string,
  content: string | Uint8Array,
  isExpected: (there: Buffer | null) => boolean,
  { staleAfter }: WaitOptions = {},
): Promise<boolean> {
  const folder = dirname(path);
  const lock = lockPath(folder, basename(path));
  const giveWay = (holder: string): Promise<void> =>
    unlink(join(lock, holder)).catch((error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw new Error(`${lock} of ${ownerWords(holder)} can't be removed: ${systemReason(error)}`); // prettier-ignore
    });
  for (let attempt = 1; ; attempt++) {
    try {
      if (!isExpected(await contentOf(path))) return false;
      return await withDraft(folder, async (draft) => {
        await writeSynced(join(draft.path, draft.owner), content);
        await passLock({ path: lock, giveWay, staleAfter }, () => moveInto(lock, draft.path));
        const held = join(lock, draft.owner);
        try {
          if (!isExpected(await contentOf(path))) return false;
          await rename(held, path);
        } finally {
          await rm(held, { force: true });
          await rmdir(lock).catch(() => undefined); // another is in
        }
        await syncFolder(folder);
        return true;
      });
    } catch (cause) {
      // Gone is the entry: this process stood still, and another took over. Nothing was written.
      if (!hasCode(cause, "ENOENT") || attempt === ATTEMPTS) throw unwritable(path, cause);
    }
  }
}

/**
 * Changes a file that others may be changing, too, each from what the one before wrote.
 * @param change - the new content, from the one that is there (null for none); null where it may stay. Called again where another
 * was quicker
 * @throws AnchorEvalError `unavailable`, with the reason
 */
export async function changeFile(
  path: string,
  change: (there: Buffer | null) => string | Uint8Array | null | Promise<string | Uint8Array | null>,
): Promise<void> {
  for (;;) {
    const there = await contentOf(path).catch((cause: unknown) => {
      throw unreadable(path, cause);
    });
    const content = await change(there);
    if (content === null) return;
    const isSame = (now: Buffer | null): boolean =>
      there === null || now === null ? there === now : there.equals(now);
    if (await replaceIf(path, content, isSame)) return;
  }
}

async function contentOf(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
}

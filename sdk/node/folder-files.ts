import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { BUNDLE_FILES, CARD_FILE } from "../core/bundle/names.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { draftPath, makeFolder, syncFolder, withDraft } from "./drafts.ts";
import { holderOf, moveInto, passLock, type WaitOptions } from "./file-lock.ts";
import { ownerName } from "./owner.ts";
import { hasCode, systemReason, unwritable } from "./system-error.ts";
import { syncFile } from "./whole-file.ts";

/** Where a folder has new files that are whole and not all in their places yet. It is a lock as those of files are. */
const UNFINISHED = ".anchoreval-unfinished";

/** Files that a command doesn't always write: only these may go without a new one, whatever a folder from elsewhere says. */
const OPTIONAL = [...BUNDLE_FILES, SIGNATURE_FILE, CARD_FILE, "trials.csv.gz"] as const;

/** The files of a folder that change together. */
interface FolderFiles {
  /** Names of the files that are written. */
  readonly files: readonly string[];
  /** Names that go with the old ones. @default none */
  readonly gone?: readonly (typeof OPTIONAL)[number][];
}

/**
 * Makes a folder and replaces files in it together, whenever the process is killed. They are written whole beside the old ones;
 * then a renaming, which counts, puts them where the next command finds them: whoever reads or writes there ends what
 * was begun ({@link settleFolder}). The old files go before the first new one comes, so that they are never mixed, for other
 * programs neither. Of two commands at once the files of the one that comes last are there.
 * @param write - is given the path of each file
 * @throws AnchorEvalError `unavailable`, with the reason: nothing was changed, and a folder made for it is removed
 */
export async function replaceFiles(
  folder: string,
  { files, gone = [] }: FolderFiles,
  write: (...paths: string[]) => Promise<void>,
): Promise<void> {
  let made: string | undefined;
  try {
    made = await makeFolder(folder);
    await settleFolder(folder);
    for (const name of files) await refuseFolder(folder, name);
    await withDraft(folder, async ({ owner, path }) => {
      const [fresh, going] = [join(path, owner, "new"), join(path, owner, "gone")];
      for (const part of [fresh, going]) await mkdir(part, { recursive: true });
      await write(...files.map((name) => join(fresh, name)));
      for (const name of files) await syncFile(join(fresh, name));
      for (const name of gone) await writeFile(join(going, name), "");
      for (const part of [fresh, going, dirname(fresh), path]) await syncFolder(part);
      const lock = join(folder, UNFINISHED);
      await passLock({ path: lock, giveWay: (holder) => settle(folder, holder) }, () => moveInto(lock, path));
      await syncFolder(folder);
      await settle(folder, owner);
      await settleFolder(folder); // where another took it over, it ends it
    });
  } catch (cause) {
    // Only what is empty: another command may have made files there in the meantime.
    for (let path = resolve(folder); made !== undefined && path.length >= made.length; path = dirname(path))
      await rmdir(path).catch(() => undefined);
    throw unwritable(folder, cause);
  }
}

/** Whether a command was stopped while it put files in their places in a folder. */
export function isUnfinished(folder: string): boolean {
  return existsSync(join(folder, UNFINISHED));
}

/**
 * Ends what a stopped command began with a folder's files: all of its new ones are in their places then. Who is to read or write
 * there does so before. Nothing is done in a folder that is whole, or isn't there.
 * @throws AnchorEvalError `unavailable` where this process may not: it would read some files and miss others
 */
export async function settleFolder(folder: string, { staleAfter }: WaitOptions = {}): Promise<void> {
  const lock = join(folder, UNFINISHED);
  try {
    if (!isUnfinished(folder)) return;
    await passLock(
      { path: lock, giveWay: (holder) => settle(folder, holder), staleAfter },
      async () => (await holderOf(lock)) === null,
    );
    await rmdir(lock).catch(() => undefined);
  } catch (cause) {
    if (cause instanceof AnchorEvalError) throw cause;
    throw new AnchorEvalError(
      "unavailable",
      `${folder}: a command was stopped before all of its files were in their places, and they can't be put there now (${systemReason(cause)}): let one who may write there run it again, or any command that reads them`,
      { cause },
    );
  }
}

/**
 * Puts new files in their places. Who does it has them under a name of his own, and every step is a renaming from there or to
 * there: where another takes them over, by renaming, the first one's steps fail.
 */
async function settle(folder: string, holder: string): Promise<void> {
  const owner = ownerName();
  const lock = join(folder, UNFINISHED);
  const at = (...parts: string[]): string => join(lock, owner, ...parts);
  const namesIn = (part: string): Promise<string[]> => readdir(at(part)).catch(ifGone([]));
  if (!(await moved(join(lock, holder), at()))) return; // another was quicker
  await mkdir(at("old")).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST", "ENOENT")) throw error;
  });
  const fresh = await namesIn("new");
  const going = (await namesIn("gone")).filter((name) => OPTIONAL.some((own) => own === name));
  // Where some new files are in their places already, the old ones are all gone.
  for (const name of [...going, ...fresh]) {
    await refuseFolder(folder, name);
    await moved(join(folder, name), at("old", name));
  }
  await rm(at("gone"), { recursive: true, force: true });
  for (const name of fresh) await moved(at("new", name), join(folder, name));
  await syncFolder(folder);
  const old = draftPath(folder, owner);
  if (!(await moved(at(), old))) return;
  await rmdir(lock).catch(() => undefined); // the next one is in
  await rm(old, { recursive: true, force: true }).catch(() => undefined); // the next draft there removes it
}

async function refuseFolder(folder: string, name: string): Promise<void> {
  if ((await lstat(join(folder, name)).catch(ifGone(null)))?.isDirectory()) throw new Error(`${name} is a folder`);
}

/** Renames. @returns false where one of the places is gone */
function moved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(() => true, ifGone(false)); // prettier-ignore
}

function ifGone<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (hasCode(error, "ENOENT")) return otherwise;
    throw error;
  };
}

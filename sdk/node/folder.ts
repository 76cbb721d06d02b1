import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, readdir, rm, stat, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { checkLength, mostBytes } from "../bundles/read-file.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange } from "../core/bundle/bundle.ts";
import { parseYank } from "../core/bundle/decode-manifest.ts";
import { CARD_FILE, YANKED_FILE } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { SweepableStore } from "../bundles/bundle-store.ts";
import { settleFolder } from "./out-folder.ts";
import { openFound, readFound } from "./whole-file.ts";
import { createFile, DRAFT, existing, hasCode, whyNot, toDisk } from "./write-file.ts";
import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isGone, thisPlace } from "./owner.ts";

/**
 * Reads a bundle from a folder, as `anchoreval fit --out DIR` writes it.
 * @example await loadBundle(folderSource("out/helm-lite"))
 */
export function folderSource(folder: string): BundleSource {
  const read = async (file: string, range?: ByteRange, fileBytes?: number): Promise<Uint8Array | null> => {
    let handle;
    if (file === "manifest.json") await settleFolder(folder);
    try {
      handle = await existing(() => openFound(join(folder, file)));
    } catch (cause) {
      throw unavailable(join(folder, file), "opened", cause);
    }
    if (handle === null) return null;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new AnchorEvalError("unavailable", `${join(folder, file)} isn't a file`);
      const { size } = stats;
      checkLength(folder, file, size, fileBytes, range);
      const { begin, end } = range ?? { begin: 0, end: size };
      const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - begin));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, begin);
      return bytes.subarray(0, bytesRead);
    } catch (cause) {
      throw unavailable(join(folder, file), "read", cause);
    } finally {
      await handle.close();
    }
  };
  return {
    name: folder,
    read: (file, { range, fileBytes } = {}) => read(file, range, fileBytes),
    readNow: (file, fileBytes) => readNow(folder, file, fileBytes),
    readSignatures: () => read(SIGNATURE_FILE),
    readCard: () => read(CARD_FILE),
    readYank: async () => {
      const bytes = await read(YANKED_FILE).catch(() => null);
      return bytes && parseYank(bytes);
    },
  };
}

function readNow(folder: string, file: string, fileBytes: number): Uint8Array | null {
  const path = join(folder, file);
  try {
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // or it waits for who writes to a pipe
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile()) throw new AnchorEvalError("unavailable", `${path} isn't a file`);
      checkLength(folder, file, stats.size, fileBytes);
      const bytes = new Uint8Array(fileBytes);
      let length = 0;
      for (let read = -1; read !== 0 && length < fileBytes; length += read)
        read = readSync(handle, bytes, length, fileBytes - length, length);
      return bytes.subarray(0, length);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    throw unavailable(path, "read", cause);
  }
}

/**
 * Publishes to a folder, for any static host: a file appears whole or not at all, also where several processes write.
 * @example await publishBundle(folderStore("public"), files, { plainFiles: true })
 */
export function folderStore(folder: string): SweepableStore {
  const at = (key: string): string => join(folder, ...key.split("/"));
  const entriesOf = async (prefix: string) => {
    const entries = (await orNull(at(prefix), () => readdir(at(prefix), { withFileTypes: true }))) ?? [];
    return entries.filter(({ name }) => !name.endsWith(DRAFT) && !name.endsWith(WRITER));
  };
  const timeOf = async (path: string): Promise<number> => (await orNull(path, () => stat(path)))?.mtimeMs ?? NaN;
  return {
    name: folder,
    get: async (key) => {
      const bytes = await orNull(at(key), () => readFound(at(key), mostBytes(key)));
      return bytes && { bytes: new Uint8Array(bytes), etag: tagOf(bytes) };
    },
    putIfAbsent: (key, bytes) => written(at(key), () => createFile(at(key), bytes)),
    putIfMatch: (key, bytes, etag) => written(at(key), () => swapFile(at(key), bytes, etag)),
    list: async (prefix) =>
      (await entriesOf(prefix)).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
    listTimes: async (prefix) => {
      const files = (await entriesOf(prefix)).filter((entry) => entry.isFile());
      return Promise.all(files.map(async ({ name }) => ({ name, written: await timeOf(at(prefix + name)) })));
    },
    remove: async (key) => {
      await orNull(at(key), () => rm(at(key), { recursive: true }));
    },
    drafts: async (prefix) => {
      const all = (await orNull(at(prefix), () => readdir(at(prefix), { recursive: true, withFileTypes: true }))) ?? [];
      const drafts = all.filter(({ name }) => name.endsWith(DRAFT) || name.endsWith(WRITER));
      return Promise.all(
        drafts.map(async ({ name, parentPath }) => ({
          name: relative(at(prefix), join(parentPath, name)).split(sep).join("/"),
          written: await timeOf(join(parentPath, name)),
        })),
      );
    },
  };
}

/** The outcome of a write. @throws AnchorEvalError `unavailable` with the reason */
async function written<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await action();
  } catch (cause) {
    throw unavailable(path, "written", cause);
  }
}

/** The outcome of a read; null where nothing is there. @throws AnchorEvalError `unavailable` with the reason */
async function orNull<T>(path: string, action: () => Promise<T>): Promise<T | null> {
  try {
    return await existing(action);
  } catch (cause) {
    throw unavailable(path, "read", cause);
  }
}

/** The error for what the file system refused; one of our own, such as of a file that is too long, as it is. */
function unavailable(path: string, what: "opened" | "read" | "written", cause: unknown): AnchorEvalError {
  if (cause instanceof AnchorEvalError) return cause;
  return new AnchorEvalError("unavailable", `${path} could not be ${what}: ${whyNot(cause)}`, { cause });
}

/** Ends the name of the folder of whoever is replacing a file: its owner's name, and the new content under the owner's id. */
const WRITER = ".writer";
const OWNER = "owner";
/** Far above its owner's name. @unit bytes */
const MOST_OWNER_BYTES = 1 << 12;

export interface SwapOptions {
  /**
   * A writer takes milliseconds. One that stands for so long, by this process's own clock, is taken for dead. @unit milliseconds
   * @default 10 s
   */
  readonly staleAfter?: number;
}

/** Writers that may be taken for dead one after the other before waiting ends. */
const MOST_STALE = 6;
/** @unit milliseconds */
const POLL = 20;

/** Who is replacing a file. */
interface Owner {
  readonly id: string;
  /** For messages. */
  readonly host: string;
  readonly place: string;
  readonly pid: number;
}

/** A tag of a content. */
export function tagOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Replaces a file, if its content still is the one of a tag. Among those who do so at once one is the writer: whoever gives
 * its folder, with its name and the new content, the name that only one can have. What it moves into the file's place lies in that folder
 * under its own id: a writer that stood still, and was taken for dead by another, finds nothing to move any more, and writes
 * nothing. So nothing is lost whoever is taken for dead: by others of its place where its process is gone, else once it has
 * stood still for a while; no clock is compared with another.
 * @returns false where the content is another one, or this writer was taken for dead: nothing was written
 * @throws AnchorEvalError `unavailable`, naming the writer, after a minute of waiting; what the file system throws
 */
export async function swapFile(
  path: string,
  content: Uint8Array,
  tag: string,
  { staleAfter = 10_000 }: SwapOptions = {},
): Promise<boolean> {
  const owner: Owner = { id: randomUUID(), host: hostname(), place: thisPlace(), pid: process.pid };
  const writer = path + WRITER;
  const draft = `${path}.${owner.id}${DRAFT}`;
  try {
    await mkdir(draft);
    await writeFile(join(draft, owner.id), content);
    await writeFile(join(draft, OWNER), JSON.stringify(owner));
    await toDisk(join(draft, owner.id));
    await become(writer, draft, path, staleAfter);
    const there = await existing(() => readFound(path, mostBytes(path)));
    if (there === null || tagOf(there) !== tag) return false;
    const isPlaced = (await existing(() => rename(join(writer, owner.id), path).then(() => true))) ?? false;
    await toDisk(dirname(path));
    return isPlaced;
  } finally {
    await remove(writer, owner.id, draft);
    await rm(draft, { recursive: true, force: true });
  }
}

/** Waits until the draft has the writer's name. */
async function become(writer: string, draft: string, path: string, staleAfter: number): Promise<void> {
  let seen: string | null = null;
  let since = performance.now();
  const begun = since;
  while (!(await renamed(draft, writer))) {
    const owner = await ownerOf(writer);
    if ((owner?.id ?? null) !== seen) [seen, since] = [owner?.id ?? null, performance.now()];
    const isDead = owner !== null && isGone(owner.place, owner.pid);
    if (isDead || performance.now() - since > staleAfter) await remove(writer, seen, `${draft}.dead`);
    else if (performance.now() - begun > MOST_STALE * staleAfter) throw busy(path, writer, owner);
    else await sleep(POLL);
  }
}

/** Takes away the folder of a writer: another one's that comes between finds nothing to move, and tries again. */
async function remove(writer: string, id: string | null, aside: string): Promise<void> {
  if (((await ownerOf(writer))?.id ?? null) !== id) return;
  await existing(() => rename(writer, aside));
  await rm(aside, { recursive: true, force: true });
}

/** Gives a folder a name that only one folder with files can have. @returns false where another has it */
async function renamed(folder: string, name: string): Promise<boolean> {
  try {
    await rename(folder, name);
    return true;
  } catch (error) {
    // Windows says EPERM of a folder that is there.
    if (hasCode(error, "ENOTEMPTY", "EEXIST", ...(process.platform === "win32" ? ["EPERM"] : []))) return false;
    throw error;
  }
}

async function ownerOf(writer: string): Promise<Owner | null> {
  const text = await existing(() => readFound(join(writer, OWNER), MOST_OWNER_BYTES));
  try {
    return text === null ? null : (JSON.parse(text.toString()) as Owner);
  } catch {
    return null; // cut short by a power cut
  }
}

function busy(path: string, writer: string, owner: Owner | null): AnchorEvalError {
  const who = owner ? `process ${owner.pid} on ${owner.host}` : "somebody unknown";
  return new AnchorEvalError(
    "unavailable",
    `${path} is being changed by others all the time, now by ${who}: try again, or remove ${writer} where that process is gone`,
  );
}

import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, readdir, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkLength } from "../bundles/read-file.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange } from "../core/bundle/bundle.ts";
import { mostBytes } from "../core/bundle/most-bytes.ts";
import { CARD_FILE } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { SweepableStore } from "../publish/bundle-store.ts";
import { openFound, readFound } from "./whole-file.ts";

/**
 * Reads a bundle from a folder, as `anchoreval fit --out DIR` writes it.
 * @example await loadBundle(folderSource("out/helm-lite"))
 */
export function folderSource(folder: string): BundleSource {
  const read = async (file: string, range?: ByteRange, fileBytes?: number): Promise<Uint8Array | null> => {
    let handle;
    try {
      handle = await openFound(join(folder, file));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT" || (cause as NodeJS.ErrnoException).code === "ENOTDIR")
        return null;
      throw new AnchorEvalError("unavailable", `${join(folder, file)} could not be opened`, { cause });
    }
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
      if (cause instanceof AnchorEvalError) throw cause;
      throw new AnchorEvalError("unavailable", `${join(folder, file)} could not be read`, { cause });
    } finally {
      await handle.close();
    }
  };
  return {
    name: folder,
    read: (file, { range, fileBytes } = {}) => read(file, range, fileBytes),
    readSignatures: () => read(SIGNATURE_FILE),
    readCard: () => read(CARD_FILE),
  };
}

/** A lock that is this old belongs to a writer that died. @unit milliseconds */
const STALE_LOCK = 10_000;

/**
 * Publishes to a folder, for any static host: a file appears whole or not at all, also where several processes write.
 * @example await publishBundle(folderStore("public"), files, { plainFiles: true })
 */
export function folderStore(folder: string): SweepableStore {
  const at = (key: string): string => join(folder, ...key.split("/"));
  return {
    name: folder,
    get: async (key) => {
      const bytes = await existing(at(key), () => readFound(at(key), mostBytes(key)));
      return bytes && { bytes: new Uint8Array(bytes), etag: tag(bytes) };
    },
    putIfAbsent: (key, bytes) => withTemporary(at(key), bytes, (temporary) => created(() => link(temporary, at(key)))),
    putIfMatch: (key, bytes, etag) =>
      withTemporary(at(key), bytes, (temporary) =>
        withLock(`${at(key)}.lock`, async () => {
          const there = await existing(at(key), () => readFound(at(key), mostBytes(key)));
          if (there === null || tag(there) !== etag) return false;
          await rename(temporary, at(key));
          return true;
        }),
      ),
    list: async (prefix) => {
      const entries = await existing(at(prefix), () => readdir(at(prefix), { withFileTypes: true }));
      return (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    },
    listTimes: async (prefix) => {
      const entries = (await existing(at(prefix), () => readdir(at(prefix), { withFileTypes: true }))) ?? [];
      const files = entries.filter((entry) => entry.isFile());
      return Promise.all(
        files.map(async ({ name }) => ({
          name,
          written: (await existing(at(prefix + name), () => stat(at(prefix + name))))?.mtimeMs ?? NaN,
        })),
      );
    },
    remove: async (key) => {
      await existing(at(key), () => unlink(at(key)));
    },
  };
}

function tag(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Writes beside the target first, so that the target never holds half a file. */
async function withTemporary(
  target: string,
  bytes: Uint8Array,
  place: (temporary: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(temporary, bytes, { flag: "wx" });
    return await place(temporary);
  } catch (cause) {
    if (cause instanceof AnchorEvalError) throw cause;
    throw new AnchorEvalError("unavailable", `${target} could not be written`, { cause });
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined); // a leftover does no harm, the cause above matters
  }
}

/** Compare and rename are two steps: a lock file makes them one among publishers. */
async function withLock<T>(lock: string, action: () => Promise<T>): Promise<T> {
  while (!(await created(() => writeFile(lock, "", { flag: "wx" })))) {
    const since = await existing(lock, async () => (await stat(lock)).mtimeMs);
    if (since !== null && Date.now() - since > STALE_LOCK) await rm(lock, { force: true });
    else await sleep(20);
  }
  try {
    return await action();
  } finally {
    await rm(lock, { force: true });
  }
}

/** True where the action made its file, false where one was there. */
async function created(action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The action's result; null where nothing is there. */
async function existing<T>(path: string, action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return null;
    if (cause instanceof AnchorEvalError) throw cause;
    throw new AnchorEvalError("unavailable", `${path} could not be read`, { cause });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

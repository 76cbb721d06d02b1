import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { checkLength } from "../bundles/read-file.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange } from "../core/bundle/bundle.ts";
import { mostBytes } from "../core/bundle/most-bytes.ts";
import { parseYank } from "../core/bundle/decode-manifest.ts";
import { CARD_FILE, YANKED_FILE } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { SweepableStore } from "../publish/bundle-store.ts";
import { settleFolder } from "./out-folder.ts";
import { swapFile, tagOf, WRITER } from "./swap-file.ts";
import { openFound, readFound } from "./whole-file.ts";
import { createFile, DRAFT, existing, hasCode, whyNot } from "./write-file.ts";

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

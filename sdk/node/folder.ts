import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { open, readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { checkLength } from "../bundles/read-file.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import type { BundleSource, ByteRange } from "../core/bundle/bundle.ts";
import { CARD_FILE } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { SweepableStore } from "../publish/bundle-store.ts";
import { isLeftover } from "./drafts.ts";
import { replaceIf } from "./file-lock.ts";
import { settleFolder } from "./folder-files.ts";
import { hasCode, unreadable } from "./system-error.ts";
import { createFile } from "./whole-file.ts";

/**
 * Reads a bundle from a folder, as `anchoreval fit --out DIR` writes it.
 * @example await loadBundle(folderSource("out/helm-lite"))
 */
export function folderSource(folder: string): BundleSource {
  const read = async (file: string, range?: ByteRange, fileBytes?: number): Promise<Uint8Array | null> => {
    await settleFolder(folder);
    const handle = await existing(join(folder, file), () => open(join(folder, file), "r"));
    if (handle === null) return null;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new AnchorEvalError("unavailable", `${join(folder, file)} isn't a file`);
      const { size } = stats;
      checkLength(folder, file, size, fileBytes);
      if (!range) return new Uint8Array(await handle.readFile());
      const bytes = new Uint8Array(Math.max(0, Math.min(range.end, size) - range.begin));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, range.begin);
      return bytes.subarray(0, bytesRead);
    } catch (cause) {
      throw unreadable(join(folder, file), cause);
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

/**
 * Publishes to a folder, for any static host: a file appears whole or not at all, and stays when the power fails, also where
 * several processes write.
 * @example await publishBundle(folderStore("public"), files, { plainFiles: true })
 */
export function folderStore(folder: string): SweepableStore {
  const at = (key: string): string => join(folder, ...key.split("/"));
  const entriesOf = async (prefix: string): Promise<Dirent[]> => {
    const entries = (await existing(at(prefix), () => readdir(at(prefix), { withFileTypes: true }))) ?? [];
    return entries.filter((entry) => !isLeftover(entry.name, entry.isFile()));
  };
  return {
    name: folder,
    get: async (key) => {
      const bytes = await existing(at(key), () => readFile(at(key)));
      return bytes && { bytes: new Uint8Array(bytes), etag: tag(bytes) };
    },
    putIfAbsent: (key, bytes) => createFile(at(key), bytes),
    putIfMatch: (key, bytes, etag) => replaceIf(at(key), bytes, (there) => there !== null && tag(there) === etag),
    list: async (prefix) =>
      (await entriesOf(prefix)).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
    listTimes: async (prefix) => {
      const files = (await entriesOf(prefix)).filter((entry) => entry.isFile());
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

/** The action's result; null where nothing is there. */
async function existing<T>(path: string, action: () => Promise<T>): Promise<T | null> {
  try {
    return await action();
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    throw unreadable(path, cause);
  }
}

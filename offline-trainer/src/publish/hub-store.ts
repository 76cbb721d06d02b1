import { sha256Hex } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import type { SweepableStore } from "anchoreval/publish";
import { commit, headOf, listFolder, readFile, type HubOptions } from "./hub-repository.ts";

/** Others that commit to the same branch meanwhile. */
const ROUNDS = 5;

/**
 * Carries out an action on a dataset repository as one commit: the action reads the branch as it stands, its writes are
 * kept, then committed on what it read. Where another commit came first, the action starts over from that one, so that a
 * version is there whole or not at all, and no update is lost.
 * @param title - of the commit
 * @throws AnchorEvalError `request_refused` with the hub's own words, `unavailable`, `aborted`, and what `action` throws
 */
export async function withHubStore<T>(
  options: HubOptions,
  title: string,
  action: (store: SweepableStore) => Promise<T>,
): Promise<T> {
  for (let round = 0; round < ROUNDS; round++) {
    const head = await headOf(options);
    const writes = new Map<string, Uint8Array | null>();
    const result = await action(stagedStore(options, head, writes));
    if (writes.size === 0 || (await commit(options, head, title, writes))) return result;
  }
  throw new AnchorEvalError(
    "unavailable",
    `${options.dataset}: others committed to ${options.branch} ${ROUNDS} times meanwhile: nothing was written, try again`,
  );
}

/** A commit of the branch, with writes that aren't committed yet on top (null: removed). */
function stagedStore(options: HubOptions, head: string, writes: Map<string, Uint8Array | null>): SweepableStore {
  const committed = (key: string): Promise<Uint8Array | null> => readFile(options, head, key);
  const read = async (key: string): Promise<Uint8Array | null> => {
    const staged = writes.get(key);
    return staged === undefined ? committed(key) : staged;
  };
  const tree = async (prefix: string): Promise<{ name: string; written: number }[]> => {
    const found = new Map<string, number>();
    for (const { type, path, lastCommit } of await listFolder(options, head, prefix.replace(/\/$/, "")))
      found.set(path.slice(prefix.length) + (type === "directory" ? "/" : ""), Date.parse(lastCommit?.date ?? ""));
    for (const [key, bytes] of writes) {
      if (!key.startsWith(prefix)) continue;
      const [name, deeper] = key.slice(prefix.length).split(/(?<=\/)/, 2) as [string, string?];
      if (bytes === null && deeper === undefined) found.delete(name);
      else if (bytes !== null) found.set(name, Date.now());
    }
    return Array.from(found, ([name, written]) => ({ name, written }));
  };
  return {
    name: `hf://datasets/${options.dataset}@${options.branch}`,
    get: async (key) => {
      const bytes = await read(key);
      return bytes && { bytes, etag: sha256Hex(bytes) };
    },
    putIfAbsent: async (key, bytes) => {
      if ((await read(key)) !== null || writes.get(key)) return false;
      writes.set(key, bytes);
      return true;
    },
    putIfMatch: async (key, bytes, etag) => {
      const before = writes.get(key);
      const there = await read(key);
      if (there === null || sha256Hex(there) !== etag || writes.get(key) !== before) return false;
      writes.set(key, bytes);
      return true;
    },
    list: async (prefix) => (await tree(prefix)).map(({ name }) => name),
    listTimes: async (prefix) => (await tree(prefix)).filter(({ name }) => !name.endsWith("/")),
    remove: async (key) => {
      if ((await committed(key)) !== null) writes.set(key, null);
      else writes.delete(key);
    },
  };
}

import { createHash } from "node:crypto";
import { AnchorEvalError } from "anchoreval/core";
import type { SweepableStore } from "anchoreval/publish";
import { persistentFetch, type Persistence } from "./persistent-fetch.ts";

/** A dataset repository of Hugging Face's hub. */
export interface HubOptions extends Persistence {
  /** `ORG/NAME` */
  readonly dataset: string;
  readonly branch: string;
  /** For example `https://huggingface.co`. */
  readonly endpoint: string;
  readonly token: string;
}

/** What is used of Hugging Face's library; its own declarations can't be followed from a module of Node's. */
interface Hub {
  commit(request: {
    readonly repo: { readonly type: "dataset"; readonly name: string };
    readonly branch: string;
    readonly parentCommit: string;
    readonly title: string;
    readonly operations: readonly (
      | { readonly operation: "addOrUpdate"; readonly path: string; readonly content: Blob }
      | { readonly operation: "delete"; readonly path: string }
    )[];
    readonly hubUrl: string;
    readonly accessToken: string;
    readonly useXet: boolean;
    readonly fetch: typeof fetch;
  }): Promise<unknown>;
  readonly HubApiError: new (url: string, statusCode: number) => Error & { readonly statusCode: number };
}

interface TreeEntry {
  readonly type: string;
  readonly path: string;
  readonly lastCommit?: { readonly date: string };
}

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
  const { dataset } = options;
  const committed = async (key: string): Promise<Uint8Array | null> => {
    const response = await request(options, `/datasets/${dataset}/resolve/${head}/${encoded(key)}`, [200, 404]);
    return response.status === 404 ? null : new Uint8Array(await response.arrayBuffer());
  };
  const read = async (key: string): Promise<Uint8Array | null> => {
    const staged = writes.get(key);
    return staged === undefined ? committed(key) : staged;
  };
  const tree = async (prefix: string): Promise<{ name: string; written: number }[]> => {
    const found = new Map<string, number>();
    let address: string | undefined =
      `/api/datasets/${dataset}/tree/${head}/${encoded(prefix.replace(/\/$/, ""))}?expand=true`;
    while (address !== undefined) {
      const response = await request(options, address, [200, 404]);
      if (response.status === 404) break;
      for (const { type, path, lastCommit } of (await response.json()) as TreeEntry[])
        found.set(path.slice(prefix.length) + (type === "directory" ? "/" : ""), Date.parse(lastCommit?.date ?? ""));
      const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
      address = next && next.replace(/^https?:\/\/[^/]+/, "");
    }
    for (const [key, bytes] of writes) {
      if (!key.startsWith(prefix)) continue;
      const [name, deeper] = key.slice(prefix.length).split(/(?<=\/)/, 2) as [string, string?];
      if (bytes === null && deeper === undefined) found.delete(name);
      else if (bytes !== null) found.set(name, Date.now());
    }
    return Array.from(found, ([name, written]) => ({ name, written }));
  };
  return {
    name: `hf://datasets/${dataset}@${options.branch}`,
    get: async (key) => {
      const bytes = await read(key);
      return bytes && { bytes, etag: tag(bytes) };
    },
    putIfAbsent: async (key, bytes) => {
      if ((await read(key)) !== null || writes.get(key)) return false;
      writes.set(key, bytes);
      return true;
    },
    putIfMatch: async (key, bytes, etag) => {
      const before = writes.get(key);
      const there = await read(key);
      if (there === null || tag(there) !== etag || writes.get(key) !== before) return false;
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

/** The branch's last commit. */
async function headOf(options: HubOptions): Promise<string> {
  const { dataset, branch, endpoint } = options;
  const response = await request(options, `/api/datasets/${dataset}/revision/${branch}`, [200, 404]);
  if (response.status === 404)
    throw new AnchorEvalError(
      "request_refused",
      `there is no dataset ${dataset} with a branch ${branch} at ${endpoint} that this token may see: create it first, on the site or by hf repos create ${dataset} --repo-type dataset`,
    );
  return ((await response.json()) as { sha: string }).sha;
}

/** One request that may be sent again, and its answer of these statuses. */
async function request(options: HubOptions, address: string, wanted: readonly number[]): Promise<Response> {
  const headers = { authorization: `Bearer ${options.token}` };
  const response = await persistentFetch(address, options, (signal) =>
    fetch(`${options.endpoint}${address}`, { headers, signal }),
  );
  if (wanted.includes(response.status)) return response;
  throw refused(options, `${address}: ${response.status}: ${(await response.text()).slice(0, 500)}`);
}

/** Commits on top of a commit. @returns false where that one is no longer the branch's last */
async function commit(
  options: HubOptions,
  parentCommit: string,
  title: string,
  writes: ReadonlyMap<string, Uint8Array | null>,
): Promise<boolean> {
  const hub = (await import("@huggingface/hub")) as unknown as Hub;
  try {
    await hub.commit({
      repo: { type: "dataset", name: options.dataset },
      branch: options.branch,
      parentCommit,
      title,
      operations: Array.from(writes, ([path, bytes]) =>
        bytes === null
          ? { operation: "delete", path }
          : { operation: "addOrUpdate", path, content: new Blob([bytes as Uint8Array<ArrayBuffer>]) },
      ),
      hubUrl: options.endpoint,
      accessToken: options.token,
      useXet: false, // bundles are small: one request each
      fetch: (input, init) =>
        persistentFetch(input instanceof Request ? input.url : input.toString(), options, (signal) =>
          fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
        ),
    });
    return true;
  } catch (error) {
    if (!(error instanceof hub.HubApiError)) throw error;
    if (error.statusCode === 412) return false;
    throw refused(options, error.message, error);
  }
}

function refused({ dataset, branch }: HubOptions, words: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError(
    "request_refused",
    `${dataset}@${branch}: ${words.replaceAll(/\s+/g, " ")}`,
    cause === undefined ? {} : { cause },
  );
}

function encoded(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}

function tag(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

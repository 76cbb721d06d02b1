import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { keyPath, type Persistence, persistentFetch } from "./persistent-fetch.ts";

/** A dataset repository of Hugging Face's hub. */
export interface HubOptions extends Persistence {
  /** `ORG/NAME` */
  readonly dataset: string;
  readonly branch: string;
  /** For example `https://huggingface.co`. */
  readonly endpoint: string;
  readonly token: string;
}

/** The part of Hugging Face's library that is used; its own declarations can't be followed from a module of Node's. */
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

/** A file of a folder, or a folder in it. */
interface TreeEntry {
  readonly type: string;
  readonly path: string;
  readonly lastCommit?: { readonly date: string };
}

export async function headOf(options: HubOptions): Promise<string> {
  const { dataset, branch, endpoint } = options;
  const response = await request(options, `/api/datasets/${dataset}/revision/${branch}`, [200, 404]);
  if (response.status === 404)
    throw new AnchorEvalError(
      "request_refused",
      `there is no dataset ${dataset} with a branch ${branch} at ${endpoint} that this token may see: create it first, on the site or by hf repo create ${dataset} --repo-type dataset`,
    );
  return ((await response.json()) as { sha: string }).sha;
}

/** A file of a commit; null where it has none. */
export async function readCommittedFile(options: HubOptions, commit: string, path: string): Promise<Uint8Array | null> {
  const response = await request(
    options,
    `/datasets/${options.dataset}/resolve/${commit}/${keyPath(path)}`,
    [200, 404],
  );
  return response.status === 404 ? null : new Uint8Array(await response.arrayBuffer());
}

/** Entries directly below a folder of a commit; none where there is no such folder. */
export async function listFolder(options: HubOptions, commit: string, folder: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let address: string | undefined = `/api/datasets/${options.dataset}/tree/${commit}/${keyPath(folder)}?expand=true`;
  while (address !== undefined) {
    const response = await request(options, address, [200, 404]);
    if (response.status === 404) break;
    entries.push(...((await response.json()) as TreeEntry[]));
    const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    address = next && next.replace(/^https?:\/\/[^/]+/, "");
  }
  return entries;
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
export async function commit(
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

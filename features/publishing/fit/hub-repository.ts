import { fileBound } from "anchoreval/internal/bundles/read-file";
import { atMost, type Bound } from "anchoreval/internal/bundles/body";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { keyPath, type Persistence, persistentFetch, textOf, type WholeAnswer } from "./persistent-fetch.ts";

/** Hugging Face's hub, and who asks it. */
export interface HubAccess extends Persistence {
  /** For example `https://huggingface.co`. */
  readonly endpoint: string;
  /** Empty where only what is open is read. */
  readonly token: string;
}

/** A dataset repository of Hugging Face's hub. */
export interface HubOptions extends HubAccess {
  /** `ORG/NAME` */
  readonly dataset: string;
  readonly branch: string;
}

/** The tag of dataset repositories that bundles are published to. */
export const HUB_TAG = "anchoreval";

/** A page of a listing has a thousand entries, a kilobyte each. @unit bytes */
const MOST_ANSWER_BYTES = 1 << 23;

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
  listDatasets(request: {
    readonly search: { readonly owner: string; readonly tags: readonly string[] };
    readonly hubUrl: string;
    readonly accessToken?: string;
    readonly fetch: typeof fetch;
  }): AsyncIterable<{ readonly name: string }>;
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
  const answer = await request(options, `/api/datasets/${dataset}/revision/${branch}`, [200, 404]);
  if (answer.status === 404)
    throw new AnchorEvalError(
      "request_refused",
      `there is no dataset ${dataset} with a branch ${branch} at ${endpoint} that this token may see: create it first, on the site or by hf repo create ${dataset} --repo-type dataset`,
    );
  return (parsed(options, answer) as { sha: string }).sha;
}

/** A file of a commit; null where it has none. */
export async function readCommittedFile(options: HubOptions, commit: string, path: string): Promise<Uint8Array | null> {
  const address = `/datasets/${options.dataset}/resolve/${commit}/${keyPath(path)}`;
  const { status, bytes } = await request(options, address, [200, 404], fileBound(options.dataset, path));
  return status === 404 ? null : bytes;
}

/** Entries directly below a folder of a commit; none where there is no such folder. */
export async function listFolder(options: HubOptions, commit: string, folder: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  let address: string | undefined = `/api/datasets/${options.dataset}/tree/${commit}/${keyPath(folder)}?expand=true`;
  while (address !== undefined) {
    const answer: WholeAnswer = await request(options, address, [200, 404]);
    if (answer.status === 404) break;
    entries.push(...(parsed(options, answer) as TreeEntry[]));
    const next = /<([^>]+)>;\s*rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    address = next && next.replace(/^https?:\/\/[^/]+/, "");
  }
  return entries;
}

/** One request that may be sent again, and its answer of these statuses. */
async function request(
  options: HubOptions,
  address: string,
  wanted: readonly number[],
  bound: Bound = answerBound(address),
): Promise<WholeAnswer> {
  const headers = authorization(options);
  const answer = await persistentFetch(address, options, bound, (signal) =>
    fetch(`${options.endpoint}${address}`, { headers, signal }),
  );
  if (wanted.includes(answer.status)) return answer;
  throw refused(options, `${address}: ${answer.status}: ${textOf(answer).slice(0, 500)}`);
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
      fetch: persistent(options),
    });
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) throw noJson(options, options.endpoint, error);
    if (!(error instanceof hub.HubApiError)) throw error;
    if (error.statusCode === 412) return false;
    throw refused(options, error.message, error);
  }
}

/**
 * Names of an organisation's, or a user's, datasets with the tag {@link HUB_TAG}, as far as the token may see them.
 * @throws AnchorEvalError `request_refused` with the hub's own words, `unavailable`
 */
export async function listTagged(access: HubAccess, owner: string): Promise<string[]> {
  const hub = (await import("@huggingface/hub")) as unknown as Hub;
  const names: string[] = [];
  try {
    const datasets = hub.listDatasets({
      search: { owner, tags: [HUB_TAG] },
      hubUrl: access.endpoint,
      ...(access.token !== "" && { accessToken: access.token }),
      fetch: persistent(access),
    });
    for await (const { name } of datasets) names.push(name);
  } catch (error) {
    if (error instanceof SyntaxError) throw noJson({ dataset: owner }, access.endpoint, error);
    throw error instanceof hub.HubApiError ? refused({ dataset: owner }, error.message, error) : error;
  }
  return names.sort();
}

function parsed(options: HubOptions, answer: WholeAnswer): unknown {
  try {
    return JSON.parse(textOf(answer));
  } catch (cause) {
    throw noJson(options, answer.url, cause);
  }
}

function noJson(of: Parameters<typeof refused>[0], address: string, cause: unknown): AnchorEvalError {
  return refused(of, `an answer of ${address} is not JSON: is this a hub?`, cause);
}

/** The headers that send a token. */
export function authorization({ token }: Pick<HubAccess, "token">): Record<string, string> {
  return token === "" ? {} : { authorization: `Bearer ${token}` };
}

/** `fetch` for Hugging Face's library, which itself tries nothing again, and reads answers however long they are. */
function persistent(access: HubAccess): typeof fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : input.toString();
    const { bytes, url, ...answer } = await persistentFetch(address, access, answerBound(address), (signal) =>
      fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
    );
    const bodyless = [204, 205, 304].includes(answer.status);
    return Object.defineProperty(new Response(bodyless ? null : bytes, answer), "url", { value: url });
  };
}

function answerBound(address: string): Bound {
  return atMost(MOST_ANSWER_BYTES, `${address}: the answer`);
}

function refused(
  { dataset, branch }: { readonly dataset: string; readonly branch?: string },
  words: string,
  cause?: unknown,
): AnchorEvalError {
  return new AnchorEvalError(
    "request_refused",
    `${dataset}${branch === undefined ? "" : `@${branch}`}: ${words.replaceAll(/\s+/g, " ")}`,
    cause === undefined ? {} : { cause },
  );
}

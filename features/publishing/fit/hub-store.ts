import { homedir } from "node:os";
import { join } from "node:path";
import { type BundleFileName, type Manifest, parseManifest } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { indexKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { parseIndex } from "anchoreval/internal/bundles/bundle-index";
import type { BundleStore, SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle, type PublishOptions } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import type { PublishResult } from "anchoreval/internal/features/publishing/sdk/versions";
import { readFound } from "anchoreval/internal/node/whole-file";
import {
  authorization,
  commit,
  headOf,
  HUB_TAG,
  type HubAccess,
  type HubOptions,
  listFolder,
  listTagged,
  readCommittedFile,
} from "./hub-repository.ts";

/** Far above a token. @unit bytes */
const LONGEST_TOKEN = 1 << 12;

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
  const committed = (key: string): Promise<Uint8Array | null> => readCommittedFile(options, head, key);
  const read = async (key: string): Promise<Uint8Array | null> => {
    const staged = writes.get(key);
    return staged === undefined ? committed(key) : staged;
  };
  const tree = async (prefix: string): Promise<{ name: string; written: number }[]> => {
    const entries = new Map<string, number>();
    for (const { type, path, lastCommit } of await listFolder(options, head, prefix.replace(/\/$/, "")))
      entries.set(path.slice(prefix.length) + (type === "directory" ? "/" : ""), Date.parse(lastCommit?.date ?? ""));
    for (const [key, bytes] of writes) {
      if (!key.startsWith(prefix)) continue;
      const [name, deeper] = key.slice(prefix.length).split(/(?<=\/)/, 2) as [string, string?];
      if (bytes === null && deeper === undefined) entries.delete(name);
      else if (bytes !== null) entries.set(name, Date.now());
    }
    return Array.from(entries, ([name, written]) => ({ name, written }));
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

/**
 * Publishes a bundle to a dataset repository of Hugging Face, as one commit; with a README.md where there is none.
 * @param files - as `encodeBundle` or `anchoreval fit` wrote them
 * @returns what was published, and where it is read from
 * @throws AnchorEvalError as `publishBundle`; `request_refused` with the hub's own words
 * @example await publishToHub(await hubSettings("hf://datasets/org/quiz", process.env), files)
 */
export async function publishToHub(
  options: HubOptions,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  {
    signatures = null,
    card = null,
    usage = () => "",
    after,
  }: Pick<PublishOptions, "signatures" | "card"> & {
    /** Markdown for README.md: how a caller's users estimate a model from the bundle at an address. */
    readonly usage?: (url: string) => string;
    /** Called after the publication, for the same commit. */
    readonly after?: (store: BundleStore, benchmark: string) => Promise<void>;
  } = {},
): Promise<PublishResult & { readonly url: string }> {
  const { benchmark, version } = parseManifest(files.get("manifest.json")!);
  const url = hubUrl(options, benchmark, version);
  return withHubStore(options, `Publish ${benchmark}@${version}`, async (store) => {
    const result = await publishBundle(store, files, { plainFiles: true, signatures, card });
    await after?.(store, benchmark);
    if (result.status === "published")
      await store.putIfAbsent(
        "README.md",
        new TextEncoder().encode(datasetCard({ benchmark, version, url }, card, usage(url))),
      );
    return { ...result, url };
  });
}

/**
 * README.md of a dataset repository that bundles are published to: the card of the first, and how a model is estimated from
 * it. By its tag `anchoreval show` finds the repository.
 * @param card - of the version that is published first
 * @param usage - Markdown, as the caller has it
 */
function datasetCard(
  { benchmark, version, url }: Pick<Manifest, "benchmark" | "version"> & { readonly url: string },
  card: Uint8Array | null,
  usage: string,
): string {
  const text = card === null ? `# ${benchmark} ${version}` : new TextDecoder().decode(card).trimEnd();
  return `---
viewer: false
tags:
  - ${HUB_TAG}
  - evaluation
---

${text}

## Use it

A bundle of anchoreval, from which a language model's score on the whole benchmark is estimated by its answers to a few items, with an interval. The estimate is computed where you are: no answers leave your machine.

${usage}\`\`\`ts
import { estimateFromAnchors, loadBundle } from "anchoreval";
const bundle = await loadBundle("${url}");
const { score, interval } = estimateFromAnchors(bundle, responses);
\`\`\`

\`bundles/${benchmark}/index.json\` lists the versions, of which ${version} was the first here; each has its own card beside its files.
`;
}

/**
 * Bundles that an organisation, or a user, of Hugging Face has published (`hf://ORG`), or one dataset (`hf://datasets/ORG/NAME`,
 * `…/NAME@BRANCH`): of each benchmark the latest version, else the newest.
 * @returns where it is read from, and the headers that this takes
 * @throws AnchorEvalError `invalid_option`, `request_refused` with the hub's own words, `unavailable`
 * @example await listHub("hf://org", process.env)
 */
export async function listHub(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }[]> {
  const access = { ...(await hubAccess(env)), ...(signal && { signal }) };
  const [, owner] = /^hf:\/\/([\w-][\w.-]*)\/?$/i.exec(address) ?? [];
  const repositories =
    owner === undefined
      ? [datasetOf(address)]
      : (await listTagged(access, owner)).map((dataset) => ({ dataset, branch: "main" }));
  const listed = await Promise.all(
    repositories.map(async (repository) => {
      const options = { ...access, ...repository };
      const head = await headOf(options);
      const folders = await listFolder(options, head, "bundles");
      const indexes = await Promise.all(
        folders.map(async ({ path }) => {
          const benchmark = path.replace(/^.*\//, "");
          const bytes = await readCommittedFile(options, head, indexKey(benchmark));
          const index = bytes && parseIndex(bytes);
          const version = index?.latest ?? index?.versions.findLast(({ yanked }) => !yanked)?.version;
          return version === undefined ? [] : [hubUrl(options, benchmark, version)];
        }),
      );
      return indexes.flat().map((url) => ({ url, headers: authorization(access) }));
    }),
  );
  return listed.flat();
}

/**
 * Where `hf://datasets/ORG/NAME` (or `…/NAME@BRANCH`) is and who may write there: as {@link hubAccess} says.
 * @throws AnchorEvalError `invalid_option` that names what is missing
 */
export async function hubSettings(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HubOptions> {
  const place = datasetOf(address);
  const { endpoint, token } = await hubAccess(env);
  if (token === "")
    throw invalidOption(`${address} takes a token that may write there: set HF_TOKEN, or log in by hf auth login`);
  return { ...place, endpoint, token };
}

function datasetOf(address: string): Pick<HubOptions, "dataset" | "branch"> {
  const [, dataset, branch = "main"] =
    /^hf:\/\/datasets\/([\w-][\w.-]*\/[\w-][\w.-]*)(?:@([\w-][\w.-]*))?\/?$/i.exec(address) ?? [];
  if (dataset === undefined) throw invalidOption(`${address} is no dataset: hf://datasets/ORG/NAME, without a folder`);
  return { dataset, branch };
}

/**
 * The hub and its token, as Hugging Face's own programs have them: HF_TOKEN, else the token that `hf auth login` left below
 * HF_HOME; HF_ENDPOINT for another hub.
 */
async function hubAccess(env: Readonly<Record<string, string | undefined>>): Promise<HubAccess> {
  const endpoint = (env["HF_ENDPOINT"] ?? "https://huggingface.co").replace(/\/+$/, "");
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw invalidOption(`HF_ENDPOINT ${endpoint} is no address`);
  const file = env["HF_TOKEN_PATH"] ?? join(env["HF_HOME"] ?? join(homedir(), ".cache", "huggingface"), "token");
  return {
    endpoint,
    token: env["HF_TOKEN"]?.trim() || (await readFound(file, LONGEST_TOKEN).then(String, () => "")).trim(),
  };
}

/** Where a published version is read from, as from any static host. */
export function hubUrl({ endpoint, dataset, branch }: HubOptions, benchmark: string, version: string): string {
  const folder = manifestKey(benchmark, version).replace(/\/[^/]*$/, "");
  return `${endpoint}/datasets/${dataset}/resolve/${branch}/${folder}`;
}

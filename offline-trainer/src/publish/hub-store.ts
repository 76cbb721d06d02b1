import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type BundleFileName, type Manifest, parseManifest } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { manifestKey } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { SweepableStore } from "anchoreval/internal/publish/bundle-store";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import type { PublishResult } from "anchoreval/internal/publish/versions";
import { commit, headOf, type HubOptions, listFolder, readCommittedFile } from "./hub-repository.ts";

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
  signatures: Uint8Array | null = null,
): Promise<PublishResult & { readonly url: string }> {
  const manifest = parseManifest(files.get("manifest.json")!);
  const { benchmark, version } = manifest;
  const url = hubUrl(options, benchmark, version);
  return withHubStore(options, `Publish ${benchmark}@${version}`, async (store) => {
    const result = await publishBundle(store, files, { plainFiles: true, signatures });
    if (result.status === "published")
      await store.putIfAbsent("README.md", new TextEncoder().encode(datasetCard(manifest, url)));
    return { ...result, url };
  });
}

/**
 * README.md of a dataset repository that bundles are published to: what lies there, and how a model is estimated from it.
 * @param url - of the version that is published first
 */
function datasetCard({ benchmark, version, description, data }: Manifest, url: string): string {
  return `---
viewer: false
tags:
  - anchoreval
  - evaluation
---

# ${benchmark}

${description === null ? "" : `${description}\n\n`}Bundles of anchoreval, from which a language model's score on the whole benchmark is estimated by its answers to a few items, with an interval. The estimate is computed where you are: no answers leave your machine.

\`\`\`sh
npx anchoreval show ${url}
npx anchoreval export --bundle ${url} --to ids --out .    # the items to ask
npx anchoreval estimate --bundle ${url} --responses answers.json
\`\`\`

\`\`\`ts
import { estimateFromAnchors, loadBundle } from "anchoreval";
const bundle = await loadBundle("${url}");
const { score, interval } = estimateFromAnchors(bundle, responses);
\`\`\`

\`bundles/${benchmark}/index.json\` lists the versions: ${version} was the first here. Licence of the data: ${data.licence ?? "not stated"}; source: ${data.source ?? "not stated"}.
`;
}

/**
 * Where `hf://datasets/ORG/NAME` (or `…/NAME@BRANCH`) is and who may write there, as Hugging Face's own programs have it:
 * HF_TOKEN, else the token that `hf auth login` left below HF_HOME; HF_ENDPOINT for another hub.
 * @throws AnchorEvalError `invalid_option` that names what is missing
 */
export async function hubSettings(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HubOptions> {
  const [, dataset, branch = "main"] =
    /^hf:\/\/datasets\/([\w-][\w.-]*\/[\w-][\w.-]*)(?:@([\w-][\w.-]*))?\/?$/i.exec(address) ?? [];
  if (dataset === undefined)
    throw new AnchorEvalError("invalid_option", `${address} is no dataset: hf://datasets/ORG/NAME, without a folder`);
  const endpoint = (env["HF_ENDPOINT"] ?? "https://huggingface.co").replace(/\/+$/, "");
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw new AnchorEvalError("invalid_option", `HF_ENDPOINT ${endpoint} is no address`);
  const file = env["HF_TOKEN_PATH"] ?? join(env["HF_HOME"] ?? join(homedir(), ".cache", "huggingface"), "token");
  const token = env["HF_TOKEN"]?.trim() || (await readFile(file, "utf8").catch(() => "")).trim();
  if (token === "")
    throw new AnchorEvalError(
      "invalid_option",
      `${address} takes a token that may write there: set HF_TOKEN, or log in by hf auth login`,
    );
  return { dataset, branch, endpoint, token };
}

/** Where a published version is read from, as from any static host. */
export function hubUrl({ endpoint, dataset, branch }: HubOptions, benchmark: string, version: string): string {
  const folder = manifestKey(benchmark, version).replace(/\/[^/]*$/, "");
  return `${endpoint}/datasets/${dataset}/resolve/${branch}/${folder}`;
}

import { checkIdentity } from "../bundles/read-file.ts";
import { sha256 } from "../bytes.ts";
import { decodeJson, flag, list, nullable, object, readOrNull, text } from "../core/bundle/schema.ts";
import { BENCHMARK_NAME, compareVersions, isStable, manifestKey, VERSION, yankedKey } from "../core/bundle/names.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import type { BundleStore } from "./bundle-store.ts";
import { type LogHead, logHead } from "./publication-log.ts";

/** index.json of a benchmark: its versions, and which one is `latest`. It follows from what lies in their folders. */
export interface BundleIndex {
  readonly benchmark: string;
  /** The highest stable version that isn't yanked; null where there is none. */
  readonly latest: string | null;
  /** Ascending. */
  readonly versions: readonly IndexEntry[];
  /** Where log.jsonl had come to: it has an entry of each of the versions. Absent where nothing has been published since there are logs. */
  readonly log?: LogHead;
}

/** A published version. */
export interface IndexEntry {
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** As its manifest states. */
  readonly created: string;
  /** Still answers by its number, is no longer offered. */
  readonly yanked: boolean;
  /** Why, in its publisher's words. */
  readonly reason?: string;
}

const index = object(
  {
    benchmark: text({ pattern: BENCHMARK_NAME }),
    latest: nullable(text({ pattern: VERSION })),
    versions: list(
      object(
        { version: text({ pattern: VERSION }), digest: text(), created: text(), yanked: flag },
        { reason: text() },
      ),
    ),
  },
  { log: logHead },
);

/** Parses index.json; null where it is damaged: {@link completeIndex} builds it again. */
export function parseIndex(bytes: Uint8Array): BundleIndex | null {
  return readOrNull(index, () => decodeJson(bytes));
}

/**
 * The index with every version whose manifest is there, and no other: entries that `known` lacks are read from their
 * folders, and whether a version is yanked from its `yanked.json` wherever there is one: it is the last word. A manifest that can't be
 * parsed, or is another version's, isn't offered.
 * @param own - versions that are looked for even where the list lacks them, as are those of `known`: a list may be old
 * @returns without `log`
 */
export async function completeIndex(
  store: Pick<BundleStore, "get" | "list">,
  benchmark: string,
  known: BundleIndex | null,
  own: readonly string[] = [],
): Promise<BundleIndex> {
  const folders = (await store.list(`bundles/${benchmark}/`)).map((name) => name.replace(/\/$/, ""));
  const listed = new Set(folders.filter((name) => VERSION.test(name)));
  const entries = await Promise.all(
    [...new Set([...listed, ...own, ...(known?.versions ?? []).map(({ version }) => version)])].map(async (version) => {
      const before = known?.versions.find((candidate) => candidate.version === version);
      const [entry, yank] = await Promise.all([
        before && listed.has(version) ? before : readEntry(store, benchmark, version),
        store.get(yankedKey(benchmark, version)),
      ]);
      if (entry === null) return null;
      const { digest, created } = entry;
      return yank === null ? (before ?? entry) : { version, digest, created, ...parseYank(yank.bytes) };
    }),
  );
  const versions = entries
    .filter((entry) => entry !== null)
    .sort((left, right) => compareVersions(left.version, right.version));
  const latest = versions.findLast((entry) => isStable(entry.version) && !entry.yanked);
  return { benchmark, latest: latest?.version ?? null, versions };
}

async function readEntry(
  store: Pick<BundleStore, "get">,
  benchmark: string,
  version: string,
): Promise<IndexEntry | null> {
  const object = await store.get(manifestKey(benchmark, version));
  if (object === null) return null;
  try {
    const manifest = parseManifest(object.bytes);
    checkIdentity(manifest, { benchmark, version }, "the store");
    const { created } = manifest;
    return { version, digest: `sha256:${await sha256(object.bytes)}`, created, yanked: false };
  } catch {
    return null;
  }
}

/** yanked.json of a version: the last word on whether it is yanked. */
export type Yank = { readonly yanked: true; readonly reason: string } | { readonly yanked: false };

/** Parses yanked.json; one that is damaged still yanks: someone wanted nobody to take this version. */
export function parseYank(bytes: Uint8Array): Yank {
  try {
    const { yanked, reason } = decodeJson(bytes) as Partial<Yank> & {
      reason?: unknown;
    };
    if (yanked === false) return { yanked };
    if (typeof reason === "string") return { yanked: true, reason };
  } catch {
    // Not JSON: see below.
  }
  return { yanked: true, reason: "its yanked.json is damaged" };
}

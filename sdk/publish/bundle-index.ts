import { BENCHMARK_NAME, compareVersions, isStable, manifestKey, VERSION, yankedKey } from "../core/bundle/names.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { flag, list, nullable, object, readValue, text } from "../core/bundle/schema.ts";
import type { Issue } from "../core/errors.ts";
import { sha256 } from "../digest.ts";
import type { BundleStore } from "./bundle-store.ts";
import { parseYank } from "./yank.ts";

/** index.json of a benchmark: its versions, and which one is `latest`. It follows from what lies in their folders. */
export interface BundleIndex {
  readonly benchmark: string;
  /** The highest stable version that isn't yanked; null where there is none. */
  readonly latest: string | null;
  /** Ascending. */
  readonly versions: readonly IndexEntry[];
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

const index = object({
  benchmark: text({ pattern: BENCHMARK_NAME }),
  latest: nullable(text({ pattern: VERSION })),
  versions: list(
    object({ version: text({ pattern: VERSION }), digest: text(), created: text(), yanked: flag }, { reason: text() }),
  ),
});

/** Parses index.json; null where it is damaged: {@link completeIndex} builds it again. */
export function parseIndex(bytes: Uint8Array): BundleIndex | null {
  const issues: Issue[] = [];
  try {
    const parsed = readValue(index, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)), [], issues);
    return issues.length === 0 ? parsed : null;
  } catch {
    return null;
  }
}

/** Encodes index.json. */
export function encodeIndex(value: BundleIndex): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

/**
 * The index with every version whose manifest is there, and no other: entries that `known` lacks are read from their
 * folders, and whether a version is yanked from its `yanked.json` wherever there is one: it is the last word. A manifest that can't be
 * parsed isn't offered.
 */
export async function completeIndex(
  store: Pick<BundleStore, "get" | "list">,
  benchmark: string,
  known: BundleIndex | null,
): Promise<BundleIndex> {
  const folders = (await store.list(`bundles/${benchmark}/`)).map((name) => name.replace(/\/$/, ""));
  const entries = await Promise.all(
    folders
      .filter((name) => VERSION.test(name))
      .map(async (version) => {
        const [entry, yank] = await Promise.all([
          known?.versions.find((candidate) => candidate.version === version) ?? readEntry(store, benchmark, version),
          store.get(yankedKey(benchmark, version)),
        ]);
        if (entry === null || yank === null) return entry;
        const { digest, created } = entry;
        return { version, digest, created, ...parseYank(yank.bytes) };
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
    const { created } = parseManifest(object.bytes);
    return { version, digest: `sha256:${await sha256(object.bytes)}`, created, yanked: false };
  } catch {
    return null;
  }
}

import { checkIdentity } from "./read-file.ts";
import { sha256 } from "./bytes.ts";
import { decodeJson, flag, list, nullable, object, readOrNull, text } from "../core/bundle/schema.ts";
import type { FileManifest } from "../core/bundle/manifest.ts";
import {
  BENCHMARK_NAME,
  blobKey,
  compareVersions,
  isStable,
  manifestKey,
  VERSION,
  yankedKey,
} from "../core/bundle/names.ts";
import { parseManifest } from "./parse-manifest.ts";
import { parseYank } from "../core/bundle/decode-manifest.ts";
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
 * The index with every version that is whole, and no other: entries that `earlier` lacks are read from their folders, and
 * whether a version is yanked from its `yanked.json` wherever there is one: it is the last word. A version isn't offered whose
 * manifest can't be parsed or is another version's, or one of whose contents isn't there once its manifest is: a publication
 * that broke off beside a sweep may leave such a one.
 * @param whole - versions whose contents were seen to be there after their manifests. They are looked for even where the
 * list lacks them, as are those of `earlier`: a list may be old
 * @returns without `log`
 */
export async function completeIndex(
  store: Pick<BundleStore, "get" | "list">,
  benchmark: string,
  earlier: BundleIndex | null,
  whole: readonly string[] = [],
): Promise<BundleIndex> {
  const folders = (await store.list(`bundles/${benchmark}/`)).map((name) => name.replace(/\/$/, ""));
  const listed = new Set(folders.filter((name) => VERSION.test(name)));
  const indexed = earlier?.versions ?? []; // of two of a version the first counts
  const before = new Map(indexed.toReversed().map((entry) => [entry.version, entry]));
  const committed = await Promise.all(
    [...new Set([...listed, ...whole, ...before.keys()])].map(async (version) => {
      const entry = before.get(version);
      const [manifest, yank] = await Promise.all([
        entry && listed.has(version) ? { entry, files: [] } : readCommitted(store, benchmark, version),
        store.get(yankedKey(benchmark, version)),
      ]);
      if (manifest === null) return null;
      const { digest, created } = manifest.entry;
      return {
        entry: yank === null ? (entry ?? manifest.entry) : { version, digest, created, ...parseYank(yank.bytes) },
        files: entry || whole.includes(version) ? [] : manifest.files,
      };
    }),
  );
  const isThere = await contentsOf(
    store,
    benchmark,
    committed.flatMap((version) => version?.files ?? []),
  );
  const versions = committed
    .flatMap((version) => (version?.files.every(isThere) ? [version.entry] : []))
    .sort((left, right) => compareVersions(left.version, right.version));
  const latest = versions.findLast((entry) => isStable(entry.version) && !entry.yanked);
  return { benchmark, latest: latest?.version ?? null, versions };
}

/** A version by its manifest; null where there is none that can be offered. */
async function readCommitted(
  store: Pick<BundleStore, "get">,
  benchmark: string,
  version: string,
): Promise<{ readonly entry: IndexEntry; readonly files: readonly FileManifest[] } | null> {
  const object = await store.get(manifestKey(benchmark, version));
  if (object === null) return null;
  try {
    const manifest = parseManifest(object.bytes);
    checkIdentity(manifest, { benchmark, version }, "the store");
    const { created, files } = manifest;
    return { entry: { version, digest: `sha256:${await sha256(object.bytes)}`, created, yanked: false }, files };
  } catch {
    return null;
  }
}

/** Tells which contents are there now: those that a list lacks are asked for by name, since it may be old. */
async function contentsOf(
  store: Pick<BundleStore, "get" | "list">,
  benchmark: string,
  files: readonly FileManifest[],
): Promise<(file: FileManifest) => boolean> {
  const there = new Set(files.length === 0 ? [] : await store.list(blobKey(benchmark, "")));
  for (const { sha256 } of files)
    if (!there.has(sha256) && (await store.get(blobKey(benchmark, sha256))) !== null) there.add(sha256);
  return ({ sha256 }) => there.has(sha256);
}

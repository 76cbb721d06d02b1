import { BENCHMARK_NAME, blobKey, indexKey, logKey, manifestKey, SHA256, VERSION } from "../core/bundle/names.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { parseIndex } from "./bundle-index.ts";
import type { SweepableStore } from "./bundle-store.ts";
import { readLog, requireIndexed } from "./publication-log.ts";

/** Contents younger than this may be a publication's that isn't committed yet. @unit milliseconds */
export const SWEEP_AGE = 24 * 3600 * 1000;

/** How a sweep runs. */
export interface SweepOptions {
  /** @unit milliseconds since 1970 */
  readonly now: number;
  /** Only says what would be removed. @default false */
  readonly dryRun?: boolean;
}

/** The result of a sweep. */
export interface SweepResult {
  /** Keys of contents that no manifest names, removed unless it was a dry run. */
  readonly removed: readonly string[];
  /** How many contents are left, and how many of them only for their age. */
  readonly kept: number;
  readonly young: number;
  /** Benchmarks that were left alone, and why: a manifest that can't be read may name any of their contents. */
  readonly skipped: readonly { readonly benchmark: string; readonly reason: string }[];
}

/**
 * Removes contents that no manifest names and that are older than {@link SWEEP_AGE}: what publications left that broke off.
 *
 * A publication beside it loses nothing. It writes the contents that it reuses anew, so that they are young, and after its
 * manifest's creation puts back what is gone. A sweep removes a content first and then reads the manifests. So either the
 * manifest was created before that reading, and the sweep puts the content back; or after it, and then the content was
 * gone before the publication looked. Where lists may be old, "created" is "in the index". Where the sweep ends in between, a copy is left, which the next one puts back.
 * @throws AnchorEvalError `unavailable`, `request_refused`
 * @example await sweepBlobs(store, { now: Date.now(), dryRun: true })
 */
export async function sweepBlobs(store: SweepableStore, { now, dryRun = false }: SweepOptions): Promise<SweepResult> {
  const removed: string[] = [];
  const skipped: { benchmark: string; reason: string }[] = [];
  let [kept, young] = [0, 0];
  for (const benchmark of await benchmarksOf(store)) {
    const blobs = (await store.listTimes(`bundles/${benchmark}/blobs/`)).filter(({ name }) => SHA256.test(name));
    const manifests = namedContents(store, benchmark);
    let named: ReadonlySet<string>;
    try {
      named = await manifests();
      if (!dryRun) await settleCopies(store, benchmark, manifests);
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || !error.code.startsWith("bundle_")) throw error;
      skipped.push({ benchmark, reason: error.message });
      kept += blobs.length;
      continue;
    }
    for (const { name, written } of blobs) {
      const old = now - written > SWEEP_AGE; // one of unknown age is not
      if (named.has(name) || !old) {
        kept++;
        if (!named.has(name)) young++;
      } else if (dryRun || (await removeUnnamed(store, benchmark, name, manifests)))
        removed.push(blobKey(benchmark, name));
      else kept++;
    }
  }
  return { removed, kept, young, skipped };
}

/** The benchmarks of a store, by name. */
async function benchmarksOf(store: SweepableStore): Promise<string[]> {
  const names = (await store.list("bundles/")).map((name) => name.replace(/\/$/, ""));
  return names.filter((name) => BENCHMARK_NAME.test(name)).sort();
}

/**
 * Says what is wrong with the logs of publications in a store; publications may be under way.
 * @returns a message for each benchmark whose log was changed by another hand
 * @throws AnchorEvalError `unavailable`
 */
export async function findBrokenLogs(store: SweepableStore): Promise<string[]> {
  const found: string[] = [];
  for (const benchmark of await benchmarksOf(store)) {
    const object = await store.get(indexKey(benchmark)); // before the log, which goes ahead of it
    const index = object && parseIndex(object.bytes);
    try {
      const log = await readLog(store, benchmark);
      if (index && (index.log || log.entries.length > 0))
        requireIndexed(log, index, `${store.name}: ${logKey(benchmark)}`);
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || error.code !== "bundle_corrupt") throw error;
      found.push(error.message);
    }
  }
  return found;
}

/** A content that is being removed: `bundles/<benchmark>/swept/<sha256>`. */
const copyKey = (benchmark: string, sha256: string): string => `bundles/${benchmark}/swept/${sha256}`;

/** Ends what a sweep began that broke off: a content that is named by now is put back, and no copy stays. */
async function settleCopies(store: SweepableStore, benchmark: string, manifests: NamedContents): Promise<void> {
  for (const name of await store.list(copyKey(benchmark, ""))) {
    const copy = await store.get(copyKey(benchmark, name));
    if (copy !== null && (await manifests()).has(name)) await store.putIfAbsent(blobKey(benchmark, name), copy.bytes);
    await store.remove(copyKey(benchmark, name));
  }
}

/** @returns false where it was named after all, and put back */
async function removeUnnamed(
  store: SweepableStore,
  benchmark: string,
  name: string,
  manifests: NamedContents,
): Promise<boolean> {
  const [key, copy] = [blobKey(benchmark, name), copyKey(benchmark, name)];
  const there = await store.get(key);
  if (there === null) return true;
  await store.putIfAbsent(copy, there.bytes);
  await store.remove(key);
  let isNamed = true; // unless that is known
  try {
    isNamed = (await manifests()).has(name);
  } finally {
    if (isNamed) await store.putIfAbsent(key, there.bytes);
  }
  await store.remove(copy);
  return !isNamed;
}

/** The digests that a benchmark's manifests name now. */
type NamedContents = () => Promise<ReadonlySet<string>>;

/** Gives the digests that a benchmark's manifests name; reads only those that it hasn't read before. */
function namedContents(store: SweepableStore, benchmark: string): NamedContents {
  const named = new Set<string>();
  const read = new Set<string>();
  return async () => {
    const listed = (await store.list(`bundles/${benchmark}/`)).map((name) => name.replace(/\/$/, ""));
    const index = await store.get(indexKey(benchmark)); // a list may be old, what is read by its name is not
    const known = (index && parseIndex(index.bytes))?.versions.map(({ version }) => version) ?? [];
    for (const version of new Set([...listed, ...known].filter((name) => VERSION.test(name) && !read.has(name)))) {
      const object = await store.get(manifestKey(benchmark, version));
      if (object === null) continue; // nothing is committed there yet
      for (const { sha256 } of parseManifest(object.bytes).files) named.add(sha256);
      read.add(version);
    }
    return named;
  };
}

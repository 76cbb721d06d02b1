import {
  BENCHMARK_NAME,
  blobKey,
  indexKey,
  logKey,
  manifestKey,
  publisherKey,
  SHA256,
  sweptKey,
  VERSION,
} from "../../../sdk/core/bundle/names.ts";
import { decodeJson, list, object, readOrNull, text } from "../../../sdk/core/bundle/schema.ts";
import { parseManifest } from "../../../sdk/bundles/parse-manifest.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { parseIndex } from "../../../sdk/bundles/bundle-index.ts";
import { changeObject, encodeJson, type SweepableStore } from "../../../sdk/bundles/bundle-store.ts";
import { readLog, requireIndexed } from "../../../sdk/bundles/publication-log.ts";

/**
 * Contents younger than this may be a publication's that isn't committed yet, copies of them a sweep's that goes on.
 * @unit milliseconds
 */
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
  /** Keys of contents that no manifest names, and of what killed writers left, removed unless it was a dry run. */
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
 * A publication beside it loses nothing. It writes the contents that it reuses anew, so that they are young; then it names
 * them in its record, puts back what is gone, and creates its manifest. A sweep copies a content, removes it, and then reads the
 * manifests and the young records. So either the record was there before that reading, and the sweep puts the content back; or
 * after it, and then the content was gone before the publication looked. It looks once more before the version is listed, for
 * records that a sweep whose clock is wrong takes for old ones.
 *
 * Whatever ends a sweep in between, the content of a listed version can be read: where it is gone, its copy is there. Of
 * several sweeps one alone makes the copy, works on the content, and removes the copy when it has done; a copy whose sweep died
 * is removed once it is as old as a sweep never is, by the store's clock. The next sweep puts back what it finds named. This
 * asks of a store that its lists are as new as its objects: R2's, S3's, folders' and the hub's are.
 * @throws AnchorEvalError `unavailable`, `request_refused`
 * @example await sweepBlobs(store, { now: Date.now(), dryRun: true })
 */
export async function sweepBlobs(store: SweepableStore, { now, dryRun = false }: SweepOptions): Promise<SweepResult> {
  const removed: string[] = [];
  const skipped: { benchmark: string; reason: string }[] = [];
  let [kept, young] = [0, 0];
  for (const benchmark of await benchmarksOf(store)) {
    const blobs = (await store.listTimes(`bundles/${benchmark}/blobs/`)).filter(({ name }) => SHA256.test(name));
    const manifests = namedContents(store, benchmark, now);
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
    for (const { name, written } of (await store.drafts?.(`bundles/${benchmark}/`)) ?? []) {
      if (now - written <= SWEEP_AGE) continue;
      const key = `bundles/${benchmark}/${name}`;
      if (!dryRun) await store.remove(key);
      removed.push(key);
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
  const broken: string[] = [];
  for (const benchmark of await benchmarksOf(store)) {
    const object = await store.get(indexKey(benchmark)); // before the log, which goes ahead of it
    const index = object && parseIndex(object.bytes);
    try {
      const log = await readLog(store, benchmark);
      if (index && (index.log || log.entries.length > 0))
        requireIndexed(log, index, `${store.name}: ${logKey(benchmark)}`);
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || error.code !== "bundle_corrupt") throw error;
      broken.push(error.message);
    }
  }
  return broken;
}

/** Puts back what a sweep left that broke off, where it is named by now, and removes the copies of those that died. */
async function settleCopies(store: SweepableStore, benchmark: string, manifests: NamedContents): Promise<void> {
  const copies = await store.listTimes(sweptKey(benchmark, ""));
  if (copies.length === 0) return;
  const now = await timeOf(store, benchmark);
  for (const { name, written } of copies.filter((object) => SHA256.test(object.name))) {
    const key = sweptKey(benchmark, name);
    const copy = await store.get(key);
    if (copy !== null && (await manifests()).has(name)) await store.putIfAbsent(blobKey(benchmark, name), copy.bytes);
    if (now - written > SWEEP_AGE) await store.remove(key);
  }
}

/** The store's own time, by an object that is written now: a sweep's clock may be wrong. @unit milliseconds since 1970 */
async function timeOf(store: SweepableStore, benchmark: string): Promise<number> {
  const key = sweptKey(benchmark, "time");
  await changeObject(store, key, (there) => encodeJson(there?.length !== 3 ? 10 : 1)); // other than it was: it is written
  const objects = await store.listTimes(sweptKey(benchmark, ""));
  await store.remove(key);
  return objects.find(({ name }) => name === "time")?.written ?? NaN; // another sweep has removed it
}

/** @returns false where it is there still: it was named after all and put back, or is another sweep's to remove */
async function removeUnnamed(
  store: SweepableStore,
  benchmark: string,
  name: string,
  manifests: NamedContents,
): Promise<boolean> {
  const [key, copy] = [blobKey(benchmark, name), sweptKey(benchmark, name)];
  const there = await store.get(key);
  if (there === null) return true;
  if (!(await store.putIfAbsent(copy, there.bytes))) return false;
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

/** The digests that a benchmark's manifests, and publications that are under way, name now. */
type NamedContents = () => Promise<ReadonlySet<string>>;

const contentsRecord = object({ contents: list(text({ pattern: SHA256 })) });

/** Gives the digests that a benchmark names; reads only manifests and records that it hasn't read before. */
function namedContents(store: SweepableStore, benchmark: string, now: number): NamedContents {
  const named = new Set<string>();
  const read = new Set<string>();
  return async () => {
    const listed = (await store.list(`bundles/${benchmark}/`)).map((name) => name.replace(/\/$/, ""));
    const index = await store.get(indexKey(benchmark)); // a list may be old, what is read by its name is not
    const indexed = (index && parseIndex(index.bytes))?.versions.map(({ version }) => version) ?? [];
    for (const version of new Set([...listed, ...indexed].filter((name) => VERSION.test(name) && !read.has(name)))) {
      const object = await store.get(manifestKey(benchmark, version));
      if (object === null) continue; // nothing is committed there yet
      for (const { sha256 } of parseManifest(object.bytes).files) named.add(sha256);
      read.add(version);
    }
    for (const { name, written } of await store.listTimes(publisherKey(benchmark, ""))) {
      if (read.has(name) || now - written > SWEEP_AGE) continue;
      const record = await store.get(publisherKey(benchmark, name));
      const contents = record && readOrNull(contentsRecord, () => decodeJson(record.bytes))?.contents;
      for (const sha256 of contents ?? []) named.add(sha256);
      read.add(name);
    }
    return named;
  };
}

import { createHash } from "node:crypto";
import { equalBytes } from "anchoreval/internal/bundles/bytes";
import {
  blobKey,
  compareVersions,
  indexKey,
  isStable,
  logKey,
  manifestKey,
  sweptKey,
  VERSION,
  yankedKey,
} from "anchoreval/internal/core/bundle/names";
import { parseManifest } from "anchoreval/internal/bundles/parse-manifest";
import { parseYank } from "anchoreval/internal/core/bundle/decode-manifest";
import { parseIndex } from "anchoreval/internal/bundles/bundle-index";
import { tagOf, type Objects } from "./memory-store.ts";

/** Versions of a benchmark that must be there, with their manifests. */
export type Committed = ReadonlyMap<string, Uint8Array>;

/**
 * What is wrong with a benchmark's objects, in words: versions that changed or are gone, contents that a manifest names and
 * that aren't there, an index that is another than its folders', a log that doesn't verify, forgets, or has what isn't there.
 * @param known - must be there whole (or as copies of a sweep that was killed), in the index and in the log
 * @param complete - whether nothing is under way: then every version is whole, and the index has all of them
 */
export function faultsOf(objects: Objects, benchmark: string, known: Committed, complete: boolean): string[] {
  const faults: string[] = [];
  const versions = committedIn(objects, benchmark);
  for (const [version, bytes] of known) {
    const there = objects.get(manifestKey(benchmark, version));
    if (there === undefined) faults.push(`${version} is gone`);
    else if (!equalBytes(there.bytes, bytes)) faults.push(`${version} is another`);
  }
  for (const version of complete ? versions : known.keys())
    for (const { name, sha256 } of filesOf(objects.get(manifestKey(benchmark, version))?.bytes))
      if (!objects.has(blobKey(benchmark, sha256)) && (complete || !objects.has(sweptKey(benchmark, sha256))))
        faults.push(`${name} of ${version} is gone`);
  const bytes = objects.get(indexKey(benchmark))?.bytes;
  const index = bytes === undefined ? null : parseIndex(bytes);
  const listed = index?.versions.map(({ version }) => version) ?? [];
  for (const version of known.keys()) if (!listed.includes(version)) faults.push(`the index lacks ${version}`);
  for (const version of listed)
    if (!versions.includes(version)) faults.push(`the index has ${version}, which isn't there`);
  if (listed.join() !== listed.toSorted(compareVersions).join()) faults.push("the index isn't sorted");
  const log = linesOf(objects.get(logKey(benchmark))?.bytes);
  faults.push(...logFaults(log, benchmark, objects, index?.log));
  const entriesOf = (version: string): LogLine[] => log.filter((line) => line.version === version);
  for (const version of complete ? versions : known.keys())
    if (entriesOf(version).length === 0) faults.push(`the log lacks ${version}`);
  if (!complete) return faults;
  if (log.length !== (index?.log?.entries ?? 0)) faults.push("the index names another head than the log's");
  for (const { version, yanked, reason } of index?.versions ?? []) {
    const last = entriesOf(version).at(-1);
    if ((last?.action === "yank") !== yanked || last?.reason !== reason)
      faults.push(`the log has ${version} as ${last?.action}`);
  }
  for (const version of versions) if (!listed.includes(version)) faults.push(`the index lacks ${version}`);
  for (const { version, yanked } of index?.versions ?? []) {
    const own = objects.get(yankedKey(benchmark, version))?.bytes;
    if (yanked !== (own !== undefined && parseYank(own).yanked))
      faults.push(`the index has ${version} as yanked: ${yanked}`);
  }
  const offered = versions.filter((version) => {
    const own = objects.get(yankedKey(benchmark, version))?.bytes;
    return isStable(version) && !(own !== undefined && parseYank(own).yanked);
  });
  const latest = offered.toSorted(compareVersions).at(-1) ?? null;
  if (index !== null && index.latest !== latest) faults.push(`latest is ${index.latest}, not ${latest}`);
  return faults;
}

/**
 * What readers of a benchmark miss, at any time: of the versions that its index lists, or of all that are committed, the
 * manifest, or a content and the copy that a sweep made of it.
 */
export function missingParts(objects: Objects, benchmark: string, of: "listed" | "committed"): string[] {
  const bytes = objects.get(indexKey(benchmark))?.bytes;
  const listed = (bytes && parseIndex(bytes)?.versions) ?? [];
  const versions = of === "listed" ? listed.map(({ version }) => version) : committedIn(objects, benchmark);
  return versions.flatMap((version) => {
    const manifest = objects.get(manifestKey(benchmark, version))?.bytes;
    if (manifest === undefined) return [`${version} is listed without its manifest`];
    const gone = filesOf(manifest).filter(
      ({ sha256 }) => !objects.has(blobKey(benchmark, sha256)) && !objects.has(sweptKey(benchmark, sha256)),
    );
    return gone.map(({ name }) => `${version} is ${of} without its ${name}`);
  });
}

function committedIn(objects: Objects, benchmark: string): string[] {
  return Array.from(objects.keys(), (key) => key.split("/"))
    .filter(([, name, version, file]) => name === benchmark && VERSION.test(version!) && file === "manifest.json")
    .map(([, , version]) => version!);
}

interface LogLine {
  readonly entry: number;
  readonly version: string;
  readonly digest: string;
  readonly action: string;
  readonly time: string | null;
  readonly reason?: string;
  readonly previous: string | null;
}

const linesOf = (bytes: Uint8Array | undefined): LogLine[] =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogLine);
const digestOf = (content: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(content).digest("hex")}`;

/** What is wrong with a log at any time: its chain, an entry of what isn't published, a version twice, a head that it never had. */
function logFaults(
  log: readonly LogLine[],
  benchmark: string,
  objects: Objects,
  named: { readonly entries: number; readonly head: string } | undefined,
): string[] {
  const faults: string[] = [];
  const heads = log.map((line) => digestOf(JSON.stringify(line)));
  const published = new Set<string>();
  for (const [k, { entry, version, digest, action, time, previous }] of log.entries()) {
    if (entry !== k + 1 || previous !== (heads[k - 1] ?? null)) faults.push(`the log's chain is broken at ${k + 1}`);
    const manifest = objects.get(manifestKey(benchmark, version))?.bytes;
    if (manifest === undefined || digestOf(manifest) !== digest)
      faults.push(`the log has ${version}, which isn't published`);
    if (time === null) faults.push(`nobody knows who did entry ${k + 1}`);
    if ((action === "publish") === published.has(version)) faults.push(`the log has ${action} of ${version} once more`);
    published.add(version);
  }
  if (named && heads[named.entries - 1] !== named.head) faults.push("the index names a head that the log hasn't");
  return faults;
}

const parsed = new Map<string, readonly { readonly name: string; readonly sha256: string }[]>();

function filesOf(manifest: Uint8Array | undefined): readonly { readonly name: string; readonly sha256: string }[] {
  if (manifest === undefined) return [];
  const tag = tagOf(manifest);
  if (!parsed.has(tag)) parsed.set(tag, parseManifest(manifest).files);
  return parsed.get(tag)!;
}

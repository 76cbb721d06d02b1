import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkedDigest, httpSource } from "../bundles/sources.ts";
import * as portable from "../bundles/load-bundle.ts";
import type { Bundle, BundleSource, ExpectedBundle } from "../core/bundle/bundle.ts";
import { sha256Hex } from "../core/bundle/digest.ts";
import {
  BENCHMARK_NAME,
  blobKey,
  CARD_FILE,
  cardKey,
  compareVersions,
  isStable,
  manifestKey,
} from "../core/bundle/names.ts";
import { parseManifest } from "../bundles/parse-manifest.ts";
import { AnchorEvalError, invalidOption } from "../core/errors.ts";
import type { IndexEntry } from "../bundles/bundle-index.ts";
import { folderSource } from "./folder.ts";
import { isUnsettled } from "./out-folder.ts";

/** Where the build puts the bundles that come with the package: a folder a version, BENCHMARK/X.Y.Z. */
const SHIPPED = fileURLToPath(new URL("../../shipped/", import.meta.url));

/** A bundle that comes with the package. */
export interface ShippedBundle {
  readonly benchmark: string;
  readonly version: string;
  readonly folder: string;
}

/** The bundles that come with the package, by name, a benchmark's newest version first. */
export function shippedBundles(): ShippedBundle[] {
  const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
  return namesIn(SHIPPED).flatMap((benchmark) =>
    namesIn(join(SHIPPED, benchmark))
      .sort((left, right) => compareVersions(right, left))
      .map((version) => ({ benchmark, version, folder: join(SHIPPED, benchmark, version) })),
  );
}

/**
 * The bundles that come with the package as objects of a store of published bundles: their files by key, and the versions
 * of each benchmark as in its index.
 */
export function shippedObjects(): {
  readonly objects: ReadonlyMap<string, { readonly path: string; readonly bytes: number; readonly sha256: string }>;
  readonly versions: Readonly<Record<string, readonly IndexEntry[]>>;
} {
  const objects = new Map<string, { path: string; bytes: number; sha256: string }>();
  const versions = new Map<string, IndexEntry[]>();
  for (const { benchmark, version, folder } of shippedBundles()) {
    const add = (key: string, name: string): { sha256: string; content: Uint8Array } => {
      const path = join(folder, name);
      const content = readFileSync(path);
      const sha256 = sha256Hex(content);
      objects.set(key, { path, bytes: content.length, sha256 });
      return { sha256, content };
    };
    const { sha256, content } = add(manifestKey(benchmark, version), "manifest.json");
    const { files, created } = parseManifest(content);
    for (const file of files) add(blobKey(benchmark, file.sha256), file.name);
    if (existsSync(join(folder, CARD_FILE))) add(cardKey(benchmark, version), CARD_FILE);
    const entry: IndexEntry = { version, digest: `sha256:${sha256}`, created, yanked: false };
    versions.set(benchmark, [...(versions.get(benchmark) ?? []), entry]);
  }
  return { objects, versions: Object.fromEntries(versions) };
}

/**
 * The source that a place means: an address with `://`, a folder, or the name of a bundle that comes with the package,
 * `gsm8k` or `gsm8k@1.0.0`. A folder that has a bundle wins over a name, since somebody put it there; `./gsm8k` is always
 * the folder.
 * @param http - makes the source of an http(s) address
 * @param place - with `#sha256:…` at its end, only the bundle of this digest
 * @throws AnchorEvalError `invalid_option` for an address of another kind; `not_found` for a name that is neither, with
 * the names that there are
 * @example placedSource("gsm8k")
 */
export function placedSource(place: string, http: (url: URL) => BundleSource = httpSource): BundleSource {
  const local = foundPlace(place);
  if (local === null) return http(new URL(place));
  const digest = /#(sha256:.*)$/.exec(place)?.[1];
  const { folder, expected } = local;
  return {
    ...folderSource(folder),
    expected: { ...expected, ...(digest !== undefined && { digest: checkedDigest(digest) }) },
  };
}

/** The folder that a place means, as for {@link placedSource}; null for an http(s) address. */
export function placedFolder(place: string): string | null {
  return foundPlace(place)?.folder ?? null;
}

/** The folder that a place means, and the bundle that its name says; null for an http(s) address. */
function foundPlace(place: string): { readonly folder: string; readonly expected?: ExpectedBundle } | null {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) {
    if (!URL.canParse(place)) throw invalidOption(`${place} isn't an address`);
    const url = new URL(place);
    if (url.protocol === "file:") return { folder: fileURLToPath(url) };
    if (url.protocol === "http:" || url.protocol === "https:") return null;
    throw invalidOption(`a bundle must be read from a folder or over http(s); got ${place}`);
  }
  const plain = place.replace(/#sha256:.*$/, "");
  const [name = "", version, ...more] = plain.split("@");
  if (!BENCHMARK_NAME.test(name) || more.length > 0 || holdsBundle(plain)) return { folder: plain };
  const all = shippedBundles();
  const namesakes = all.filter(({ benchmark }) => benchmark === name);
  const match = namesakes.find((bundle) =>
    version === undefined ? isStable(bundle.version) : bundle.version === version,
  );
  if (match) return { folder: match.folder, expected: { benchmark: match.benchmark, version: match.version } };
  const names = (namesakes.length > 0 ? namesakes : all).map((bundle) => `${bundle.benchmark}@${bundle.version}`);
  const shipped = names.length > 0 ? `which has ${names.join(", ")}` : "which was built without any (npm run build)";
  throw new AnchorEvalError(
    "not_found",
    `${plain}: no bundle is there, and none of that name comes with this package, ${shipped}`,
  );
}

/** Whether a bundle is in a folder, or is being put there. */
function holdsBundle(folder: string): boolean {
  return existsSync(join(folder, "manifest.json")) || isUnsettled(folder);
}

/**
 * Loads a bundle as `loadBundle` of `anchoreval` does, and from a folder's path or by the name of a bundle that comes
 * with the package as well.
 * @param place - a URL, a folder, a name such as `gsm8k` or `gsm8k@1.0.0`, or a {@link BundleSource}
 * @throws AnchorEvalError `invalid_option`, `not_found`, and what `loadBundle` of `anchoreval` throws
 * @example const bundle = await loadBundle("gsm8k");
 */
export async function loadBundle(
  place: string | URL | BundleSource,
  options: portable.LoadOptions = {},
): Promise<Bundle> {
  const named = typeof place === "string" || place instanceof URL;
  return portable.loadBundle(named ? placedSource(String(place)) : place, options);
}

import { sha256 } from "../bytes.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import type { ItemRecord, Manifest } from "../core/bundle/manifest.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";

/**
 * Reads a whole file that a bundle's manifest lists, checked against the byte count and the digest that stand there.
 * {@link loadBundle} reads neither the items nor the report: this does.
 * @throws AnchorEvalError `not_found` where the bundle has no such file; `bundle_corrupt` where its bytes are gone or
 * others, with an issue of the code `missing` or `damaged`; `unavailable`, `aborted`
 * @example await readBundleFile(folderSource("out/helm-lite"), bundle.manifest, "items.jsonl")
 */
export async function readBundleFile(
  source: BundleSource,
  manifest: Manifest,
  name: BundleFileName,
  options: { signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const file = manifest.files.find((candidate) => candidate.name === name);
  if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
  const bytes = await source.read(name, options);
  if (bytes?.length === file.bytes && (await sha256(bytes)) === file.sha256) return bytes;
  const state = bytes === null ? "missing" : "damaged";
  throw new AnchorEvalError(
    "bundle_corrupt",
    `${source.name}: ${name} is ${state}: the manifest states ${file.bytes} bytes, SHA-256 ${file.sha256}; copy or publish the bundle again`,
    { issues: [{ path: [name], code: state, message: `${name} is ${state}` }] },
  );
}

/**
 * The bytes of a bundle's manifest, and the bundle's digest, theirs.
 * @throws AnchorEvalError `not_found` where there is none, what the source throws
 */
export async function readManifest(
  source: BundleSource,
  options: { readonly signal?: AbortSignal },
): Promise<{ readonly bytes: Uint8Array; readonly digest: string }> {
  const bytes = await source.read("manifest.json", options);
  if (bytes === null) throw new AnchorEvalError("not_found", `${source.name} has no manifest.json: no bundle is there`);
  return { bytes, digest: `sha256:${await sha256(bytes)}` };
}

/** items.jsonl of a bundle, whose lines are read one by one: of thousands of items a few are ever asked about. */
export interface ItemLines {
  /** Items in all, in parameter order, scenario after scenario. */
  readonly count: number;
  /** @param position - 0 ≤ position < count */
  readonly record: (position: number) => ItemRecord;
  readonly byteLength: number;
}

/**
 * Loads what names the items of a bundle.
 * @throws AnchorEvalError as {@link readBundleFile}; `bundle_invalid` where the file has another number of items
 * @example const { item_id } = (await loadItemLines(source, bundle.manifest)).record(0);
 */
export async function loadItemLines(
  source: BundleSource,
  manifest: Manifest,
  options: { signal?: AbortSignal } = {},
): Promise<ItemLines> {
  const bytes = await readBundleFile(source, manifest, "items.jsonl", options);
  const count = manifest.scenarios.reduce((sum, { items }) => sum + items, 0);
  const ends = new Uint32Array(count);
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (lines < count) ends[lines] = at;
    lines++;
  }
  if (lines !== count)
    throw new AnchorEvalError(
      "bundle_invalid",
      `${source.name}: items.jsonl has ${lines} lines, the manifest ${count} items`,
    );
  const decoder = new TextDecoder();
  return {
    count,
    byteLength: bytes.length + ends.byteLength,
    record: (position) => {
      const begin = position === 0 ? 0 : ends[position - 1]! + 1;
      try {
        return JSON.parse(decoder.decode(bytes.subarray(begin, ends[position]))) as ItemRecord;
      } catch {
        throw new AnchorEvalError("bundle_invalid", `${source.name}: items.jsonl, line ${position + 1} is not JSON`);
      }
    },
  };
}

import type { ItemRecord, Manifest } from "../core/bundle/manifest.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { readBundleFile } from "./read-file.ts";

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

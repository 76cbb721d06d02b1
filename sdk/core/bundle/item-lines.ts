import { AnchorEvalError } from "../errors.ts";
import type { Bundle } from "./bundle.ts";
import type { ItemRecord, Manifest } from "./manifest.ts";

/** items.jsonl of a bundle, whose lines are read one by one: of thousands of items a few are ever asked about. */
export interface ItemLines {
  /** Items in all, in parameter order, scenario after scenario. */
  readonly count: number;
  /** @param position - 0 ≤ position < count */
  readonly record: (position: number) => ItemRecord;
  readonly byteLength: number;
}

/**
 * The lines of items.jsonl.
 * @param place - of the bundle, for messages
 * @throws AnchorEvalError `bundle_invalid` where there is another number of items than in the manifest
 */
export function itemLines(bytes: Uint8Array, manifest: Pick<Manifest, "scenarios">, place: string): ItemLines {
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
      `${place}: items.jsonl has ${lines} lines, the manifest ${count} items`,
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
        throw new AnchorEvalError("bundle_invalid", `${place}: items.jsonl, line ${position + 1} is not JSON`);
      }
    },
  };
}

/** All items of a bundle by their ids. */
export interface BundleItems extends ItemLines {
  /** Position of each item in parameter order, scenario after scenario. */
  readonly positions: ReadonlyMap<string, number>;
}

const readers = new WeakMap<Bundle["scenarios"], () => BundleItems>();

/** Lets a bundle know the items that aren't anchors, too. @param read - called once, where an answer is to none of its anchors */
export function keepItems({ scenarios }: Bundle, read: () => ItemLines): void {
  let items: BundleItems | null = null;
  readers.set(scenarios, () => {
    if (items !== null) return items;
    const lines = read();
    const positions = new Map<string, number>();
    for (let at = 0; at < lines.count; at++) positions.set(lines.record(at).item_id, at);
    return (items = { ...lines, positions });
  });
}

/** All items of a bundle; null where they weren't read. @throws AnchorEvalError as their reader */
export function bundleItems({ scenarios }: Pick<Bundle, "scenarios">): BundleItems | null {
  return readers.get(scenarios)?.() ?? null;
}

/** Whether a bundle knows its items, or reads them where they are needed. */
export function knowsItems({ scenarios }: Bundle): boolean {
  return readers.has(scenarios);
}

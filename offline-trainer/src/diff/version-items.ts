import { loadItemLines } from "anchoreval";
import type { Bundle, BundleSource } from "anchoreval/bundle";
import type { VersionItem } from "./compare-items.ts";

/** A bundle's items, with their hashes where it knows them. */
export async function versionItems(
  source: BundleSource,
  { manifest, scenarios }: Bundle,
  options: { readonly signal?: AbortSignal } = {},
): Promise<VersionItem[]> {
  const lines = await loadItemLines(source, manifest, options);
  const anchors = [...scenarios.values()].flatMap((scenario) => [...scenario.anchors.values()]);
  const hashes = new Map(anchors.map((anchor) => [anchor.item_id, anchor.hash]));
  return Array.from({ length: lines.count }, (_, position) => {
    const record = lines.record(position);
    const hash = record.hash ?? hashes.get(record.item_id);
    return { ...record, ...(hash !== undefined && { hash }) };
  });
}

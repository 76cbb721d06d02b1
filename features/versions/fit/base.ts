import { loadBundle } from "anchoreval";
import type { Bundle, BundleContent, BundleSource } from "anchoreval/bundle";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { refuseFullScores } from "anchoreval/internal/core/bundle/bundle";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import { type BaseManifest, basePart } from "anchoreval/internal/features/versions/core";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { GRADED_LINK } from "../../../offline-trainer/src/methods/settings.ts";
import type { VersionItem } from "./compare-items.ts";
import type { EarlierAnchors } from "./keep-anchors.ts";

/** A published bundle, on whose scale another version's items are put. */
export interface BaseBundle {
  readonly bundle: Bundle;
  /** All items in parameter order, with the anchors' hashes. */
  readonly items: readonly VersionItem[];
}

/**
 * Reads everything in a bundle that a later version may keep.
 * @throws AnchorEvalError what {@link loadBundle} throws; `unsupported` for scenarios of other models than the 1PL and 2PL
 * or whose graded scores weren't binarised, and for full scores on items that the bundle doesn't have
 */
export async function readBase(source: BundleSource, signal?: AbortSignal): Promise<BaseBundle> {
  const options = signal ? { signal } : {};
  const bundle = await loadBundle(source, options);
  const { manifest } = bundle;
  refuseFullScores(manifest, "versions on a base's scale are");
  const other = manifest.banks.find(({ irtModel }) => irtModel !== "2pl" && irtModel !== "1pl");
  if (other)
    throw new AnchorEvalError(
      "unsupported",
      `${source.name}: ${other.id} was calibrated by ${other.irtModel}; only items without asymptotes can stay fixed while others are linked to their scale: fit anew, without \`base\``,
    );
  refuseOtherLinks(source.name, manifest);
  return { bundle, items: await versionItems(source, bundle, options) };
}

/** Earlier trainers could calibrate graded scores as they are: no other version's scores go onto such a scale. */
function refuseOtherLinks(name: string, { fit }: Manifest): void {
  const links = Object.entries((fit["links"] ?? {}) as Readonly<Record<string, unknown>>);
  const other = links.find(([, link]) => link !== GRADED_LINK);
  if (other)
    throw new AnchorEvalError(
      "unsupported",
      `${name}: the scores of ${other[0]} were calibrated as they are (link ${String(other[1])}), which is no longer done: fit the new version anew, without a base`,
    );
}

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

/** The manifest's `base`, but for the anchors that were kept. */
export type BaseRecord = Omit<BaseManifest, "anchors">;

/** A bundle's content with the record of its base. `base` precedes `protocol`, so that a manifest's bytes stay the same. */
export function withBase(content: BundleContent, record: BaseRecord, earlier: EarlierAnchors): BundleContent {
  const base: BaseManifest = { ...record, anchors: keptAnchors(content, earlier) };
  const entries = Object.entries(content.manifest);
  const at = entries.findIndex(([key]) => key === "protocol");
  const manifest = Object.fromEntries([...entries.slice(0, at), [basePart.key, base], ...entries.slice(at)]);
  return { ...content, manifest: manifest as unknown as BundleContent["manifest"] };
}

/** How many of every form's anchors are an earlier version's: the same form's, or any form's where it had no such form. */
function keptAnchors({ manifest, scenarios }: BundleContent, { anchors }: EarlierAnchors): BaseManifest["anchors"] {
  const counts = new Map<string, { kept: number; of: number }>();
  scenarios.forEach(({ forms, items }, s) => {
    const earlier = anchors.get(manifest.scenarios[s]!.id);
    for (const [form, set] of forms) {
      const same = earlier?.get(form);
      const sources = same ? [same] : [...(earlier?.values() ?? [])];
      const kept = set.items.filter((item) => sources.some(({ kept: ids }) => ids.has(items[item]!.item_id))).length;
      const before = counts.get(form) ?? { kept: 0, of: 0 };
      counts.set(form, { kept: before.kept + kept, of: before.of + set.items.length });
    }
  });
  return Object.fromEntries(counts);
}

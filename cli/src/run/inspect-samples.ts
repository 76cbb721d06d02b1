import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { sampleIdentity } from "anchoreval/internal/logs/inspect/read-samples";
import { matchAnchors, type NamedItem } from "anchoreval/internal/logs/match-anchors";
import { firstFew } from "anchoreval/internal/tables/data-issues";

/** A sample of Inspect; one of which only the id is known has no input. */
interface SeenSample {
  readonly id: string | number;
  readonly input?: unknown;
}

/**
 * Finds anchors, or all items of a bundle, among the samples of a task of Inspect: by content, then by item id, then by
 * the sample's id, which is an anchor's where the bundle was fitted on logs of Inspect. Tasks aren't compared: a task of
 * Inspect may be called as it likes.
 * @returns for each sample the item that it is; null for one that is no anchor
 * @throws AnchorEvalError `item_changed` where a sample has an anchor's id and another content
 */
export function findSamples(
  { manifest }: Pick<Bundle, "manifest">,
  anchors: readonly NamedItem[],
  samples: readonly SeenSample[],
): (string | null)[] {
  const matches = new Map<string, number>();
  const untasked = anchors.map((anchor) => {
    const copy = { ...anchor };
    delete copy.task;
    delete copy.doc_id;
    return copy;
  });
  const seen = samples.map(({ id, ...sample }) => ({ task: "", doc_id: id, ...sampleIdentity(sample) }));
  const places = new Map(seen.map((sample, place) => [sample, place]));
  for (const [item, sample] of matchAnchors(untasked, seen).matches) matches.set(item, places.get(sample)!);

  const taken = new Set(matches.values());
  const byId = new Map(samples.flatMap(({ id }, place) => (taken.has(place) ? [] : [[String(id), place] as const])));
  const ofInspect = manifest.protocol["harness"] === "inspect";
  const changed: string[] = [];
  for (const { item_id, doc_id, hash } of anchors) {
    if (matches.has(item_id)) continue;
    const place = byId.get(item_id) ?? (ofInspect && doc_id !== undefined ? byId.get(String(doc_id)) : undefined);
    if (place === undefined) continue;
    if (hash !== undefined && seen[place]!.hash !== null) changed.push(item_id);
    matches.set(item_id, place);
    byId.delete(String(samples[place]!.id)); // two tasks of a bundle may number alike
  }
  if (changed.length > 0)
    throw new AnchorEvalError(
      "item_changed",
      `${changed.length} of ${anchors.length} anchors have other content in the task: ${firstFew(changed)}; take the bundle of this version of the benchmark`,
    );
  const items = samples.map((): string | null => null);
  for (const [item, place] of matches) items[place] = item;
  return items;
}

import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { matchAnchors, type NamedItem } from "anchoreval/internal/logs/match-anchors";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { sampleIdentity } from "anchoreval/internal/logs/inspect/read-samples";

/** An item of a harness's task. */
export interface SeenItem extends Pick<LoggedSample, "task" | "doc_id" | "hash" | "text"> {
  /** How the harness is told to ask it. @default its doc_id */
  readonly place?: number;
}

/**
 * Finds a bundle's anchors among the items of a harness's tasks, before anything is asked: by content, else by id, as they
 * will be found in its logs.
 * @param items - those that may be anchors; of one that has an anchor's id and other content the anchor has changed
 * @param harness - that is run, and that the bundle's models were run with
 * @param dropChanged - items that have changed or aren't there count as missing instead of being refused, unless all do
 * @throws AnchorEvalError `item_changed` for anchors that aren't there, or whose content is another than the bundle's
 */
export function sameItems(
  anchors: readonly AnchorRecord[],
  items: readonly SeenItem[],
  { harness, fitted, dropChanged }: { harness: string; fitted: unknown; dropChanged: boolean },
): { readonly anchors: readonly AnchorRecord[]; readonly remarks: readonly string[] } {
  const { matches, missing, changed } = findItems(anchors, items);
  const named = anchors.flatMap((anchor) => {
    const item = matches.get(anchor.item_id);
    return item === undefined ? [] : [{ ...anchor, doc_id: item.place ?? item.doc_id }];
  });
  const share = (ids: readonly string[]): string => `${ids.length} of ${anchors.length} anchors`;
  const remarks = [
    ...(missing.length > 0 ? [`${share(missing)} aren't in the harness's tasks: ${firstFew(missing)}`] : []),
    ...(changed.length > 0
      ? [`${share(changed)} have other content in the harness's tasks: ${firstFew(changed)}`]
      : []),
  ];
  if (remarks.length === 0) return { anchors: named, remarks };
  const none = missing.length + changed.length === anchors.length;
  if (none && typeof fitted === "string" && fitted !== harness && changed.length > 0)
    throw new AnchorEvalError(
      "item_changed",
      `${remarks.join("; ")}; the bundle's hashes are of items as ${fitted} writes them: run ${fitted}, or a bundle fitted on logs of ${harness}`,
    );
  if (none || !dropChanged)
    throw new AnchorEvalError(
      "item_changed",
      `${remarks.join("; ")}; take the bundle of this version of the benchmark${none ? "" : ", or count them as missing with --drop-changed"}`,
    );
  return { anchors: named, remarks: remarks.map((words) => `${words}; they count as missing`) };
}

/** Finds anchors among items, by the rule that the logs will be held to: ids of those that aren't there, or are another. */
export function findItems(
  anchors: readonly AnchorRecord[],
  items: readonly SeenItem[],
): { matches: ReadonlyMap<string, SeenItem>; missing: string[]; changed: string[] } {
  const { matches, hashes } = matchAnchors(anchors, items);
  const isOther = ({ item_id, hash }: AnchorRecord): boolean =>
    hash !== undefined && hashes.has(item_id) && hashes.get(item_id) !== hash;
  return {
    matches,
    missing: anchors.flatMap(({ item_id }) => (matches.has(item_id) ? [] : [item_id])),
    changed: anchors.flatMap((anchor) => (isOther(anchor) ? [anchor.item_id] : [])),
  };
}

/** Says that a harness isn't the one that the bundle's models were run with. */
export function otherHarness(
  { harness: fitted }: Readonly<Record<string, string | number | boolean>>,
  harness: string,
): string[] {
  if (fitted === undefined || fitted === harness) return [];
  return [
    `the models that the bundle was fitted on were run with ${String(fitted)}, not with ${harness}, which may prompt and score otherwise`,
  ];
}

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

import type { AnchorRecord } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { points } from "anchoreval/internal/words/figures";

export interface VersionItem {
  readonly item_id: string;
  readonly scenario: string;
  readonly hash?: string;
}

/** An item of both versions whose id or scenario isn't the same. */
interface RenamedItem {
  readonly from: VersionItem;
  readonly to: VersionItem;
}

/** Changes of a benchmark's items from one version to the next. */
export interface ItemChanges {
  /** With the same content hash, id and scenario. */
  readonly unchanged: readonly VersionItem[];
  /** With the same id and scenario; one side has no hash to compare content by. */
  readonly unchecked: readonly VersionItem[];
  /** With the same content under another id, or in another scenario. */
  readonly renamed: readonly RenamedItem[];
  /** With the same id and other content. */
  readonly changed: readonly RenamedItem[];
  readonly removed: readonly VersionItem[];
  readonly added: readonly VersionItem[];
}

/**
 * Matches the items of two versions: same id and content first, then the same content under another id, then the same id
 * with other content. Repeated content is matched in order.
 */
export function compareItems(older: readonly VersionItem[], newer: readonly VersionItem[]): ItemChanges {
  const ids = new Map(newer.map((item) => [item.item_id, item]));
  const left = new Set(newer);
  const take = (item: VersionItem): VersionItem => (left.delete(item), item);
  const unchanged: VersionItem[] = [];
  const unchecked: VersionItem[] = [];
  const renamed: RenamedItem[] = [];
  const open: VersionItem[] = [];
  for (const item of older) {
    const same = ids.get(item.item_id);
    const hashed = same?.hash !== undefined && item.hash !== undefined;
    if (!same || (hashed && same.hash !== item.hash)) open.push(item);
    else if (same.scenario !== item.scenario) renamed.push({ from: item, to: take(same) });
    else (hashed ? unchanged : unchecked).push(take(same));
  }
  const byHash = new Map<string, VersionItem[]>();
  for (const item of left) if (item.hash !== undefined) byHash.set(item.hash, [...(byHash.get(item.hash) ?? []), item]);
  const gone: VersionItem[] = [];
  for (const item of open) {
    const moved = item.hash === undefined ? undefined : byHash.get(item.hash)?.shift();
    if (moved) renamed.push({ from: item, to: take(moved) });
    else gone.push(item);
  }
  const changed: RenamedItem[] = [];
  const removed: VersionItem[] = [];
  for (const item of gone) {
    const same = ids.get(item.item_id);
    if (same && left.has(same)) changed.push({ from: item, to: take(same) });
    else removed.push(item);
  }
  return { unchanged, unchecked, renamed, changed, removed, added: [...left] };
}

/** Consequences of the changes for a bundle of the older version. @param anchors - of that bundle */
export function bundleChanges(
  manifest: Pick<Manifest, "forms">,
  anchors: readonly AnchorRecord[],
  older: readonly VersionItem[],
  newer: readonly VersionItem[],
  { changed, removed, added, renamed }: ItemChanges,
) {
  const lost = [...changed.map(({ from }) => from), ...removed];
  const gained = [...changed.map(({ to }) => to), ...added];
  const moved = renamed.filter(({ from, to }) => from.scenario !== to.scenario);
  const names = [...new Set([...older, ...newer].map(({ scenario }) => scenario))];
  const count = (items: readonly VersionItem[], scenario: string): number =>
    items.filter((item) => item.scenario === scenario).length;
  const hit = new Set(lost.map(({ item_id: id }) => id));
  return {
    /**
     * By scenario of either version, its items then and now, and the largest difference between the scores of both versions
     * that the exchanged items allow, a fraction; items count the same.
     */
    scenarios: Object.fromEntries(
      names.map((id) => {
        const [before, after] = [count(older, id), count(newer, id)];
        const kept = before - count([...lost, ...moved.map(({ from }) => from)], id);
        const fresh = count([...gained, ...moved.map(({ to }) => to)], id);
        // Mean over kept items s: |k·s/N + lost/N − k·s/N′ − gained/N′| is largest at the ends of s, lost and gained.
        const ends = [0, 1].flatMap((s) =>
          [kept * s, kept * s + before - kept].flatMap((old) =>
            [kept * s, kept * s + fresh].map((now) => Math.abs(old / before - now / after)),
          ),
        );
        return [id, { before, after, largestShift: before === 0 || after === 0 ? 1 : Math.max(...ends) }];
      }),
    ),
    /** By form, its anchors that changed or are gone. */
    forms: Object.fromEntries(
      manifest.forms.map(({ id }) => {
        const ofForm = anchors.filter(({ forms }) => forms.includes(id));
        return [
          id,
          { anchors: ofForm.length, hit: ofForm.map((anchor) => anchor.item_id).filter((item) => hit.has(item)) },
        ];
      }),
    ),
  };
}

/** Lines about the changes between two versions, and their consequences for a bundle of the first. */
export function diffWords(
  name: { readonly benchmark: string; readonly version: string },
  changes: ItemChanges,
  { scenarios, forms }: ReturnType<typeof bundleChanges>,
): string[] {
  const { unchanged, unchecked, renamed, changed, removed, added } = changes;
  const same = changed.length + removed.length + added.length === 0;
  const some = (items: readonly unknown[], words: string): string[] =>
    items.length > 0 ? [`  ${items.length} ${words}`] : [];
  const ids = (items: readonly { readonly item_id: string }[]): string => firstFew(items.map((item) => item.item_id));
  const both = unchanged.length + unchecked.length + renamed.length + changed.length;
  const major = Number(name.version.split(".")[0]) + 1;
  const lines = [
    `${name.benchmark} ${name.version}: ${both + removed.length} items, now ${both + added.length}`,
    `  ${unchanged.length} unchanged by their content`,
    ...some(unchecked, "assumed to be the same by their ids: no content hash on one side or both"),
    ...some(
      renamed,
      `with another id or scenario: ${firstFew(renamed.map(({ from, to }) => `${from.item_id} → ${to.item_id}`))}`,
    ),
    ...some(changed, `changed: ${ids(changed.map(({ to }) => to))}`),
    ...some(removed, `removed: ${ids(removed)}`),
    ...some(added, `added: ${ids(added)}`),
    ...Object.entries(scenarios).flatMap(([id, { before, after, largestShift }]) =>
      before !== after || largestShift > 0
        ? `${id}: ${before} items, now ${after}; a model's two scores differ by at most ${points(largestShift)} points`
        : [],
    ),
    ...Object.entries(forms).map(([id, { anchors, hit }]) =>
      hit.length === 0
        ? `form ${id}: none of its ${anchors} anchors changed`
        : `form ${id}: ${hit.length} of its ${anchors} anchors changed or were removed: ${firstFew(hit)}`,
    ),
  ];
  if (same)
    return [...lines, `The bundle remains valid${renamed.length > 0 ? "; answers are keyed by its own ids" : ""}.`];
  lines.push(
    `The bundle still estimates version ${name.version}, not scores on the new items. Scores of the two versions aren't comparable: the new items are version ${major}.0.0.`,
  );
  if (Object.values(forms).some(({ hit }) => hit.length > 0))
    lines.push(
      'Answers to changed anchors are refused (item_changed), or count as missing with `onChangedItem: "drop"`.',
    );
  return lines;
}

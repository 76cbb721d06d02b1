import { firstFew } from "anchoreval/node";
import { points } from "anchoreval/cli";
import type { BundleChanges, ItemChanges } from "./compare-items.ts";

/**
 * What changed between two versions, and what that means for a bundle of the first, in plain words.
 * @param places - of the bundle and of the new items, as they were given
 */
export function diffWords(
  places: { readonly bundle: string; readonly items: string },
  name: { readonly benchmark: string; readonly version: string },
  changes: ItemChanges,
  { scenarios, forms }: BundleChanges,
): string[] {
  const { unchanged, unchecked, renamed, changed, removed, added } = changes;
  const same = changed.length + removed.length + added.length === 0;
  const ids = (items: readonly { readonly item_id: string }[]): string => firstFew(items.map((item) => item.item_id));
  const major = Number(name.version.split(".")[0]) + 1;
  return [
    `${name.benchmark} ${name.version}: ${unchanged.length + unchecked.length + renamed.length + changed.length + removed.length} items, now ${unchanged.length + unchecked.length + renamed.length + changed.length + added.length}`,
    `  ${unchanged.length} unchanged by their content`,
    ...(unchecked.length > 0
      ? [`  ${unchecked.length} taken to be the same by their ids: no content hash on one side or both`]
      : []),
    ...(renamed.length > 0
      ? [
          `  ${renamed.length} with another id or scenario: ${firstFew(renamed.map(({ from, to }) => `${from.item_id} → ${to.item_id}`))}`,
        ]
      : []),
    ...(changed.length > 0 ? [`  ${changed.length} changed: ${ids(changed.map(({ to }) => to))}`] : []),
    ...(removed.length > 0 ? [`  ${removed.length} removed: ${ids(removed)}`] : []),
    ...(added.length > 0 ? [`  ${added.length} added: ${ids(added)}`] : []),
    ...Object.entries(scenarios)
      .filter(([, { before, after, largestShift }]) => before !== after || largestShift > 0)
      .map(
        ([id, { before, after, largestShift }]) =>
          `${id}: ${before} items, now ${after}; a model's two scores differ by ${points(largestShift)} points at most`,
      ),
    ...Object.entries(forms).map(([id, { anchors, hit }]) =>
      hit.length === 0
        ? `form ${id}: none of its ${anchors} anchors is touched`
        : `form ${id}: ${hit.length} of its ${anchors} anchors changed or are gone: ${firstFew(hit)}`,
    ),
    same
      ? renamed.length > 0
        ? "The bundle can be used as it is; answers are keyed by its own ids."
        : "The bundle can be used as it is."
      : `The bundle goes on estimating version ${name.version}: its scores aren't those of the new items. Scores of the two don't compare: the new items are version ${major}.0.0.`,
    ...(!same && Object.values(forms).some(({ hit }) => hit.length > 0)
      ? ["Answers to changed anchors are refused (item_changed), or count as missing with --drop-changed."]
      : []),
    ...(same
      ? []
      : [
          "A bundle of the new items on this one's scale, its other anchors kept, from the answers to this version's items (RESPONSES) and those of a few models to the others (RERUN, if there are any):",
          `  anchoreval fit --base ${places.bundle} --responses RESPONSES --items ${places.items} --rerun RERUN --name ${name.benchmark}@${major}.0.0 --out DIR`,
        ]),
  ];
}

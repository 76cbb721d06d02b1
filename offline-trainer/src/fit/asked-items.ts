import type { AnchorSet } from "anchoreval/core";

/**
 * Items that any form of a scenario asks, in the order in which they are asked: the smallest form's first, so that nested
 * forms are prefixes, and by index among those that a form adds.
 * @param forms - by size, ascending
 */
export function askedItems(forms: Iterable<AnchorSet>): Uint32Array {
  return Uint32Array.from(new Set(Array.from(forms, ({ items }) => Array.from(items).sort((x, y) => x - y)).flat()));
}

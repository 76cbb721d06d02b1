import type { ItemGroups } from "../anchors/sublime/item-features.ts";

/** Divides items by a name each; those without one are a group of their own. Groups are numbered by first appearance. */
export function itemGroups(name: string, values: readonly (string | undefined)[]): ItemGroups {
  const numbers = new Map<string | undefined, number>();
  const labels = Int32Array.from(values, (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  });
  return { name, labels };
}

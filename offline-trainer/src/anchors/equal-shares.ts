import type { AnchorSet } from "anchoreval/core";
import { byAccuracy } from "./types.ts";

/**
 * Anchor sets of items chosen on purpose: from hard to easy, without inclusion probabilities, each standing for the same
 * share.
 * @param accuracy - of all items
 */
export function equalShares(accuracy: Float64Array): (items: Iterable<number>) => AnchorSet {
  const rank = new Map(byAccuracy(accuracy).map((item, position) => [item, position]));
  return (chosen) => {
    const items = Uint32Array.from([...chosen].sort((x, y) => rank.get(x)! - rank.get(y)!));
    return { items, inclusion: null, mass: new Float64Array(items.length).fill(1 / items.length) };
  };
}

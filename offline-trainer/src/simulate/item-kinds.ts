import type { RandomSource } from "anchoreval/core";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** Kinds of items; the code in the truth is the position here. */
export const ITEM_KINDS = ["regular", "redundant", "mislabelled", "non-monotone", "memorised"] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Code of a kind. */
export function kindCode(kind: ItemKind): number {
  return ITEM_KINDS.indexOf(kind);
}

/** The kind of every item: one uniform number an item, cut by the shares. */
export function drawItemKinds(options: SimulateOptions, random: RandomSource): Uint32Array {
  const edges: { kind: ItemKind; upTo: number }[] = [];
  for (const [kind, share] of [
    ["redundant", options.redundantShare],
    ["mislabelled", options.mislabelledShare],
    ["non-monotone", options.nonMonotoneShare],
    ["memorised", options.memorisedShare],
  ] as const)
    edges.push({ kind, upTo: (edges.at(-1)?.upTo ?? 0) + share });
  return Uint32Array.from({ length: options.items }, () => {
    const u = random.next();
    return kindCode(edges.find(({ upTo }) => u < upTo)?.kind ?? "regular");
  });
}

/**
 * Puts the redundant items of each subscenario in clusters, in the order in which they stand; sizes are uniform from 2
 * to the largest. A single left-over joins the cluster before it.
 * @returns the cluster of every item, numbered from 1; 0 = none
 */
export function drawClusters(
  kinds: Uint32Array,
  scenarios: readonly ScenarioPlan[],
  clusterSize: number,
  random: RandomSource,
): Uint32Array {
  const clusters = new Uint32Array(kinds.length);
  const redundant = kindCode("redundant");
  let cluster = 0;
  let column = 0;
  for (const { subscenarios } of scenarios)
    for (const { items } of subscenarios) {
      const members: number[] = [];
      for (const end = column + items; column < end; column++) if (kinds[column] === redundant) members.push(column);
      for (let at = 0; at < members.length;) {
        const size = 2 + random.below(clusterSize - 1);
        if (at === 0 || members.length - at > 1) cluster++;
        for (const item of members.slice(at, at + size)) clusters[item] = cluster;
        at += size;
      }
    }
  return clusters;
}

import type { AnchorSet } from "anchoreval/core";
import { correctnessKmeansAnchors, irtKmeansAnchors } from "./kmeans-anchors.ts";
import { randomAnchors } from "./random.ts";
import { stratifiedAnchors } from "./stratified.ts";
import { byAccuracy, type SelectedAnchors, type Selection, type SelectionInput } from "./types.ts";

const SELECTORS: Readonly<Record<Selection, (input: SelectionInput) => SelectedAnchors | Promise<SelectedAnchors>>> = {
  stratified: stratifiedAnchors,
  random: randomAnchors,
  "irt-kmeans": irtKmeansAnchors,
  "correctness-kmeans": correctnessKmeansAnchors,
};

/**
 * Chooses the anchors of one scenario for every size. A size of at least all items takes the scenario whole.
 */
export async function selectAnchors(selection: Selection, input: SelectionInput): Promise<SelectedAnchors> {
  const count = input.weights.length;
  const partial = [...new Set(input.sizes.filter((size) => size < count))].sort((x, y) => x - y);
  const selected =
    partial.length > 0
      ? await SELECTORS[selection]({ ...input, sizes: partial })
      : { sets: new Map<number, AnchorSet>(), nested: true };
  const sets = new Map(selected.sets);
  for (const size of input.sizes) if (size >= count) sets.set(size, wholeScenario(input));
  return { sets, nested: selected.nested };
}

function wholeScenario({ weights, accuracy }: SelectionInput): AnchorSet {
  const order = byAccuracy(accuracy);
  return {
    items: Uint32Array.from(order),
    inclusion: new Float64Array(order.length).fill(1),
    mass: Float64Array.from(order, (i) => weights[i]!),
  };
}

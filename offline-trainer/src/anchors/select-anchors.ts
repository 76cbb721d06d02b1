import type { AnchorSet, RandomSource } from "anchoreval/core";
import { prepareEssence } from "../methods/essence/anchors.ts";
import { prepareGreedyVariance } from "./greedy-variance.ts";
import { prepareInformation } from "../methods/metabench/anchors.ts";
import { prepareHybrid } from "./hybrid.ts";
import { correctnessKmeansAnchors, irtKmeansAnchors } from "../methods/kmeans/index.ts";
import { randomAnchors } from "./random.ts";
import { prepareScreened } from "./screened.ts";
import { stratifiedAnchors } from "./stratified.ts";
import { prepareSublime } from "../methods/sublime/anchors.ts";
import {
  byAccuracy,
  type PreparedSelection,
  type SelectedAnchors,
  type Selection,
  type SelectionInput,
} from "./types.ts";

type Select = (input: SelectionInput) => SelectedAnchors | Promise<SelectedAnchors>;

/** Of a selection with nothing to prepare. */
const drawnAtOnce =
  (select: Select) =>
  (input: SelectionInput): PreparedSelection => ({ draw: (random) => select({ ...input, random }) });

const PREPARATIONS: Readonly<Record<Selection, (input: SelectionInput) => PreparedSelection>> = {
  stratified: drawnAtOnce(stratifiedAnchors),
  random: drawnAtOnce(randomAnchors),
  hybrid: prepareHybrid,
  screened: prepareScreened,
  "greedy-variance": prepareGreedyVariance,
  essence: prepareEssence,
  "fisher-information": prepareInformation,
  sublime: prepareSublime,
  "irt-kmeans": drawnAtOnce(irtKmeansAnchors),
  "correctness-kmeans": drawnAtOnce(correctnessKmeansAnchors),
};

/** Chooses the anchors of one scenario for every size, once: {@link prepareSelection} and a draw. */
export async function selectAnchors(selection: Selection, input: SelectionInput): Promise<SelectedAnchors> {
  return prepareSelection(selection, { ...input, random: input.random.fork("design") }).draw(input.random);
}

/**
 * Prepares the choice of the anchors of one scenario for every size. A size of at least all items takes the scenario
 * whole.
 * @param input - its random stream is the preparation's; every draw has its own
 */
export function prepareSelection(
  selection: Selection,
  input: SelectionInput,
): Omit<PreparedSelection, "draw"> & { readonly draw: (random: RandomSource) => Promise<SelectedAnchors> } {
  const count = input.weights.length;
  const sizes = [...new Set(input.sizes.filter((size) => size < count))].sort((x, y) => x - y);
  const prepared = sizes.length > 0 ? PREPARATIONS[selection]({ ...input, sizes }) : null;
  return {
    ...(prepared?.filtered && { filtered: prepared.filtered }),
    ...(prepared?.rankings && { rankings: prepared.rankings }),
    ...(prepared?.second && { second: prepared.second }),
    draw: async (random) => {
      const selected = (await prepared?.draw(random)) ?? { sets: new Map<number, AnchorSet>(), nested: true };
      const sets = new Map(selected.sets);
      for (const size of input.sizes) if (size >= count) sets.set(size, wholeScenario(input));
      return { sets, nested: selected.nested };
    },
  };
}

function wholeScenario({ weights, accuracy }: SelectionInput): AnchorSet {
  const order = byAccuracy(accuracy);
  return {
    items: Uint32Array.from(order),
    inclusion: new Float64Array(order.length).fill(1),
    mass: Float64Array.from(order, (i) => weights[i]!),
  };
}

import { pivotalSample, type AnchorSet } from "anchoreval/core";
import { drawNested, nestedLevels } from "./nested-draw.ts";
import { coordinateSamples } from "../extensions/versions/keep-anchors.ts";
import type { SampleCoordination } from "./anchor-method.ts";
import { byAccuracy, type SelectedAnchors, type SelectionInput } from "./types.ts";

/**
 * `stratified`: items sorted by source accuracy, cut into n strata of equal π-mass, one draw in each
 * (ordered pivotal sampling), π proportional to the item's weight. Sizes are nested: the largest is drawn from all
 * items, each smaller one from the next larger with probabilities π_small/π_large, so that every size is such a sample
 * with its own π, exactly.
 */
export function stratifiedAnchors({ weights, accuracy, sizes, random, standing }: SelectionInput): SelectedAnchors {
  return nestedSample(
    byAccuracy(accuracy),
    weights,
    sizes,
    (probabilities, size) => pivotalSample(probabilities, random.fork(`size ${size}`)),
    standing && coordinateSamples(standing),
  );
}

/**
 * Draws nested samples from the largest size down, in one order of items.
 * @param draw - positions in `pool`, ascending, drawn with `probabilities`
 * @param coordination - changes the probabilities; the sizes that it names are drawn too
 */
export function nestedSample(
  order: readonly number[],
  weights: Float64Array,
  sizes: readonly number[],
  draw: (probabilities: Float64Array, size: number, pool: readonly number[]) => number[],
  coordination?: SampleCoordination,
): SelectedAnchors {
  const beside = (coordination?.sizes ?? []).filter((size) => size < weights.length);
  const levels = nestedLevels(weights, [...new Set([...sizes, ...beside])]);
  const adjust = coordination?.begin();
  const samples = drawNested(levels, order, (probabilities, { size }, pool) =>
    draw(adjust ? adjust(pool, probabilities, size) : probabilities, size, pool),
  );
  const sets = levels.map(({ size, inclusion }, k) => [size, sampledAnchors(samples[k]!, weights, inclusion)] as const);
  return { sets: new Map(sets.filter(([size]) => sizes.includes(size))), nested: true };
}

/** Anchors drawn with probabilities π: their masses are w/π. */
export function sampledAnchors(items: readonly number[], weights: Float64Array, inclusion: Float64Array): AnchorSet {
  return {
    items: Uint32Array.from(items),
    inclusion: Float64Array.from(items, (i) => inclusion[i]!),
    mass: Float64Array.from(items, (i) => weights[i]! / inclusion[i]!),
  };
}

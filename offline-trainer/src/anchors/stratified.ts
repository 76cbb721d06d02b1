import type { AnchorSet } from "anchoreval/core";
import { inclusionProbabilities } from "./inclusion-probabilities.ts";
import { pivotalSample } from "./pivotal-sampling.ts";
import { byAccuracy, type SelectedAnchors, type SelectionInput } from "./types.ts";

/**
 * `stratified`, the default: items sorted by source accuracy, cut into n strata of equal π-mass, one draw in each
 * (ordered pivotal sampling), π proportional to the item's weight. Sizes are nested: the largest is drawn from all
 * items, each smaller one from the next larger with probabilities π_small/π_large, so that every size is such a sample
 * with its own π, exactly.
 */
export function stratifiedAnchors({ weights, accuracy, sizes, random }: SelectionInput): SelectedAnchors {
  return nestedSample(byAccuracy(accuracy), weights, sizes, (probabilities, size) =>
    pivotalSample(probabilities, random.fork(`size ${size}`)),
  );
}

/** Draws nested samples from the largest size down, in one order of items. */
export function nestedSample(
  order: readonly number[],
  weights: Float64Array,
  sizes: readonly number[],
  draw: (probabilities: Float64Array, size: number) => number[],
): SelectedAnchors {
  const sets = new Map<number, AnchorSet>();
  let pool = [...order];
  let poolProbability: Float64Array = new Float64Array(weights.length).fill(1);
  for (const size of [...sizes].sort((x, y) => y - x)) {
    const probability = inclusionProbabilities(weights, size);
    const within = pool;
    const outer = poolProbability;
    const positions = draw(
      Float64Array.from(within, (i) => Math.min(1, probability[i]! / outer[i]!)),
      size,
    );
    pool = positions.map((position) => within[position]!);
    poolProbability = probability;
    sets.set(size, {
      items: Uint32Array.from(pool),
      inclusion: Float64Array.from(pool, (i) => probability[i]!),
      mass: Float64Array.from(pool, (i) => weights[i]! / probability[i]!),
    });
  }
  return { sets, nested: true };
}

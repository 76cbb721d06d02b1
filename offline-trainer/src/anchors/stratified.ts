import { pivotalSample, type AnchorSet } from "anchoreval/core";
import { drawNested, nestedLevels } from "./nested-draw.ts";
import { keepAnchors } from "./keep-anchors.ts";
import { byAccuracy, type SelectedAnchors, type SelectionInput, type StandingAnchors } from "./types.ts";

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
    standing,
  );
}

/**
 * Draws nested samples from the largest size down, in one order of items.
 * @param draw - positions in `pool`, ascending, drawn with `probabilities`
 * @param standing - anchors of an earlier version, kept where they can be ({@link keepAnchors}): its sizes are drawn too,
 * so that one that it hadn't lies between those that it had, and holds the next smaller one's anchors
 */
export function nestedSample(
  order: readonly number[],
  weights: Float64Array,
  sizes: readonly number[],
  draw: (probabilities: Float64Array, size: number, pool: readonly number[]) => number[],
  standing?: StandingAnchors,
): SelectedAnchors {
  const before = Array.from(standing?.kept.keys() ?? []).filter((size) => size < weights.length);
  const levels = nestedLevels(weights, [...new Set([...sizes, ...before])]);
  let outer: ReadonlySet<number> | null = null;
  const samples = drawNested(levels, order, (probabilities, { size }, pool) => {
    const smaller = before.filter((own) => own <= size);
    if (smaller.length === 0) return draw(probabilities, size, pool);
    const kept = standing!.kept.get(Math.max(...smaller))!;
    const had: ReadonlySet<number> | null = outer;
    if (before.includes(size)) outer = kept;
    const open = (item: number): boolean => (had ? !had.has(item) : standing!.fresh[item] === 1);
    return draw(keepAnchors(pool, probabilities, kept, open), size, pool);
  });
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

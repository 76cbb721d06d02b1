import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import type { AnchorInput, ChosenAnchors } from "./anchor-method.ts";

/** One size of nested samples. */
export interface NestedLevel {
  readonly size: number;
  /** π of every item. */
  readonly inclusion: Float64Array;
}

/**
 * The sizes of nested samples, largest first, each with π in proportion to the weight among the items that aren't certain.
 * @param certain - items that every sample of a size has, fewer than the size; a smaller size's are among a larger one's
 */
export function nestedLevels(
  weights: Float64Array,
  sizes: readonly number[],
  certain: (size: number) => readonly number[] = () => [],
): NestedLevel[] {
  return [...sizes]
    .sort((x, y) => y - x)
    .map((size) => {
      const lead = certain(size);
      const open = weights.slice();
      for (const i of lead) open[i] = 0;
      const inclusion = inclusionProbabilities(open, size - lead.length);
      for (const i of lead) inclusion[i] = 1;
      return { size, inclusion };
    });
}

/**
 * Draws nested samples from the largest size down: the largest from all items, each smaller one from the next larger
 * with probabilities π_small/π_large, so that every size is a sample with its own π.
 * @param order - all items; samples keep it
 * @param draw - positions in `pool`, ascending, drawn with `probabilities`
 * @returns items of each level, in order
 */
export function drawNested<Level extends NestedLevel>(
  levels: readonly Level[],
  order: readonly number[],
  draw: (probabilities: Float64Array, level: Level, pool: readonly number[]) => readonly number[],
): number[][] {
  let [pool, outer]: [readonly number[], Float64Array | null] = [order, null];
  return levels.map((level) => {
    const within = pool;
    const sample = draw(shares(within, level.inclusion, outer), level, within).map((position) => within[position]!);
    [pool, outer] = [sample, level.inclusion];
    return sample;
  });
}

/** Probabilities of a pool's items to stay, π/π_outer; π itself where the pool is all items. */
function shares(pool: readonly number[], inclusion: Float64Array, outer: Float64Array | null): Float64Array {
  return Float64Array.from(pool, (i) => Math.min(1, inclusion[i]! / (outer === null ? 1 : outer[i]!)));
}

type DrawnSizes = Pick<AnchorInput, "weights" | "sizes" | "coordination">;

/** The sizes that are drawn: those asked for, and those that coordination has beside them. */
export function drawnSizes({ weights, sizes, coordination }: DrawnSizes): number[] {
  return [...new Set([...sizes, ...(coordination?.sizes ?? []).filter((size) => size < weights.length)])];
}

/**
 * Anchors of nested samples, the smaller part of the larger, in one order of items. Of a size without certain items they
 * stand for w/π; else an item that isn't asked counts as one without an answer, its weight going to the anchors next to
 * it in the order ({@link answeredSample}), and π is w over what an anchor has.
 * @param levels - of the {@link drawnSizes}
 * @param draw - positions in `pool`, ascending, drawn with `probabilities`
 * @param certain - of {@link nestedLevels}
 */
export function nestedAnchors(
  order: readonly number[],
  { weights, sizes, coordination }: DrawnSizes,
  levels: readonly NestedLevel[],
  draw: (probabilities: Float64Array, size: number, pool: readonly number[]) => number[],
  certain?: (size: number) => readonly number[],
): ChosenAnchors {
  const adjust = coordination?.begin();
  const samples = drawNested(levels, order, (probabilities, { size }, pool) =>
    draw(adjust ? adjust(pool, probabilities, size) : probabilities, size, pool),
  );
  const { sets: drawn } = sampledAnchors(levels, samples, weights);
  const setOf = (size: number): AnchorSet => {
    const sample = drawn.get(size)!;
    if (!certain?.(size).length) return sample;
    const all = { items: Uint32Array.from(order), inclusion: null, mass: Float64Array.from(order, (i) => weights[i]!) };
    const asked = new Set(sample.items);
    const scores = order.map((item) => (asked.has(item) ? 0 : NaN)); // as if all were asked, and only these answered
    const { mass } = answeredSample(all, scores)!;
    return { ...sample, mass, inclusion: mass.map((share, j) => Math.min(1, weights[sample.items[j]!]! / share)) };
  };
  return { sets: new Map(sizes.map((size) => [size, setOf(size)])), nested: true };
}

/** Anchors drawn with the levels' probabilities π: their masses are w/π. @param samples - items of each level */
export function sampledAnchors(
  levels: readonly NestedLevel[],
  samples: readonly (readonly number[])[],
  weights: Float64Array,
): ChosenAnchors {
  const sets = levels.map(({ size, inclusion }, k) => {
    const items = Uint32Array.from(samples[k]!);
    const chances = Float64Array.from(items, (i) => inclusion[i]!);
    return [
      size,
      { items, inclusion: chances, mass: chances.map((chance, j) => weights[items[j]!]! / chance) },
    ] as const;
  });
  return { sets: new Map(sets), nested: true };
}

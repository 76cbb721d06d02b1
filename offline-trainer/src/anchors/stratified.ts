import { pivotalSample, MOST_TILT, inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import {
  byAccuracy,
  type AnchorInput,
  type AnchorMethod,
  type PreparedAnchors,
  type ChosenAnchors,
} from "./anchor-method.ts";
import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import type { AnchorSet } from "anchoreval/internal/core/estimators/types";

/** One size of nested samples. */
interface NestedLevel {
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

/**
 * `stratified`: items sorted by source accuracy, cut into n strata of equal π-mass, one draw in each
 * (ordered pivotal sampling), π proportional to the item's weight. Sizes are nested: the largest is drawn from all
 * items, each smaller one from the next larger with probabilities π_small/π_large, so that every size is such a sample
 * with its own π, exactly.
 */
export const stratified: AnchorMethod = {
  name: "stratified",
  source: { module: import.meta.url, name: "stratified" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => stratifiedSamples(input, nestedLevels(input.weights, drawnSizes(input))),
};

/** Draws nested samples in the order of source accuracy with the levels' π. @param levels - of the {@link drawnSizes} */
export function stratifiedSamples(input: AnchorInput, levels: readonly NestedLevel[]): PreparedAnchors {
  const order = byAccuracy(input.accuracy);
  return {
    draw: (random) =>
      nestedAnchors(order, input, levels, (probabilities, size) =>
        pivotalSample(probabilities, random.fork(`size ${size}`)),
      ),
  };
}

/** A measure of 0 counts as this share of the largest: such items are filled up last, evenly. Chosen, not measured. */
const LEAST_MEASURE = 1e-9;

/** Halvings after which a factor is known to float64's last digit, whatever the measures are. */
const BISECTIONS = 100;

/**
 * {@link stratifiedSamples} with π proportional to weight × measure within the bounds of {@link MOST_TILT}. π is known
 * exactly and an anchor stands for w/π, so means are unbiased whatever the measure is. The variance of a sum of
 * independent terms with standard deviations σ is least where the measure is σ; of terms that cost c, σ/√c.
 * @param measure - of the scenario's items, at least 0; all the same means an even draw
 * @see Särndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, §3.6 and §12.2
 */
export function tiltedSamples(input: AnchorInput, measure: Float64Array): PreparedAnchors {
  return stratifiedSamples(input, nestedLevels(tiltedWeights(input.weights, measure), drawnSizes(input)));
}

/**
 * min(4w, max(w/4, c·w·measure)), c such that they sum to what the weights do: what probabilities are proportional to.
 * @param measure - at least 0, finite
 */
export function tiltedWeights(weights: Float64Array, measure: Float64Array): Float64Array {
  const largest = measure.reduce((most, value) => Math.max(most, value), 0);
  if (measure.every((value) => value === largest)) return weights;
  const tilts = measure.map((value) => Math.max(LEAST_MEASURE, value / largest));
  const at = (c: number): Float64Array =>
    weights.map((weight, i) => weight * Math.min(MOST_TILT, Math.max(1 / MOST_TILT, c * tilts[i]!)));
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const total = sum(weights);
  let [low, high] = [0, MOST_TILT / LEAST_MEASURE]; // where all are at their least, and at their most
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) < total) low = middle;
    else high = middle;
  }
  return at(high);
}

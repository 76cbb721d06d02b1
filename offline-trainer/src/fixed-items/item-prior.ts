import {
  cholesky,
  choleskyInverse,
  linearPrediction,
  predictiveVariance,
  type AbilityPrior,
  type RandomSource,
} from "anchoreval/core";
import { denseRows } from "../numeric/sparse-rows.ts";
import { onAxes, principalAxes } from "../numeric/principal-axes.ts";
import { spectralRidge } from "../numeric/ridge.ts";

/** Items of one scenario, by position; the first ones' parameters are known. */
export interface DescribedItems {
  /** Parameters (a, b) of the standing items, S×(D+1) row-major. */
  readonly parameters: Float64Array;
  readonly dims: number;
  /** Of all items, the standing ones first. */
  readonly subscenarios: readonly (string | undefined)[];
  /** Coordinates of all items' texts, N×C row-major; null where not all have one. */
  readonly coordinates: Float64Array | null;
}

/** Items of the scenario that a subscenario's mean counts with: keeps the means of few items near it. */
const PRIOR_ITEMS = 5;
/** Share of each variance that is added, so that the covariance of few items is definite. */
const JITTER = 1e-3;
/** A subscenario's id. */
type Group = string | undefined;
/** Stands for all subscenarios together. */
const WHOLE = Symbol("whole scenario");
/** Axes of the texts. */
const AXES = 100;

/**
 * What is known of items before models answer them: normal about their subscenario's mean, as the standing items lie about
 * theirs; where there are texts, about what a ridge regression within subscenarios foretells from them, which lies closer.
 * @returns the prior of (a, b) of an item, by its position among all
 */
export function itemPriors(items: DescribedItems, random: RandomSource): (item: number) => AbilityPrior {
  const { parameters, dims, subscenarios, coordinates } = items;
  const width = dims + 1;
  const count = parameters.length / width;
  const centers = groupMeans(parameters, width, subscenarios);
  const about = (item: number, p: number): number => (centers.get(subscenarios[item]) ?? centers.get(WHOLE)!)[p]!;
  const deviations = Array.from({ length: width }, (_, p) =>
    Float64Array.from({ length: count }, (_, i) => parameters[i * width + p]! - about(i, p)),
  );
  const covariance = new Float64Array(width * width);
  for (let r = 0; r < width; r++)
    for (let c = 0; c < width; c++) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += deviations[r]![i]! * deviations[c]![i]!;
      covariance[r * width + c] = sum / count;
    }
  for (let p = 0; p < width; p++) covariance[p * (width + 1)]! += JITTER * covariance[p * (width + 1)]! + 1e-6;
  if (coordinates === null)
    return (item) => ({
      mean: Float64Array.from({ length: width }, (_, p) => about(item, p)),
      precision: inverse(covariance, width),
    });

  const all = subscenarios.length;
  const texts = coordinates.length / all;
  const middles = groupMeans(coordinates.subarray(0, count * texts), texts, subscenarios);
  const within = coordinates.map((own, at) => {
    const middle = middles.get(subscenarios[Math.floor(at / texts)]) ?? middles.get(WHOLE)!;
    return own - middle[at % texts]!;
  });
  const axes = principalAxes(denseRows(within.subarray(0, count * texts), count, texts), AXES, random);
  const ridges = deviations.map((own) => spectralRidge(axes, own));
  const places = onAxes(denseRows(within, all, texts), axes);
  return (item) => {
    const at = places.subarray(item * axes.rank, (item + 1) * axes.rank);
    const shrink = ridges.map((ridge, p) => Math.sqrt(predictiveVariance(ridge, at) / covariance[p * (width + 1)]!));
    return {
      mean: Float64Array.from(ridges, (ridge, p) => about(item, p) + linearPrediction(ridge, at)),
      precision: inverse(
        covariance.map((own, k) => own * shrink[Math.floor(k / width)]! * shrink[k % width]!),
        width,
      ),
    };
  };
}

/**
 * Mean rows by group, each drawn towards the mean of all ({@link WHOLE}).
 * @param rows - n×width row-major @param groups - of the rows, and of others after them
 */
function groupMeans(
  rows: Float64Array,
  width: number,
  groups: readonly Group[],
): Map<Group | typeof WHOLE, Float64Array> {
  const count = rows.length / width;
  const sums = new Map<Group, { readonly sum: Float64Array; items: number }>();
  const whole = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    const own = sums.get(groups[i]) ?? { sum: new Float64Array(width), items: 0 };
    sums.set(groups[i], own);
    own.items++;
    for (let p = 0; p < width; p++) {
      own.sum[p]! += rows[i * width + p]!;
      whole[p]! += rows[i * width + p]! / count;
    }
  }
  const drawn = Array.from(sums, ([id, { sum, items }]) => {
    const mean = sum.map((own, p) => (own + PRIOR_ITEMS * whole[p]!) / (items + PRIOR_ITEMS));
    return [id, mean] as const;
  });
  return new Map<Group | typeof WHOLE, Float64Array>([...drawn, [WHOLE, whole]]);
}

function inverse(matrix: Float64Array, n: number): Float64Array {
  return choleskyInverse(cholesky(matrix, n)!, n);
}

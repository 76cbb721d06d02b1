import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { inclusionProbabilities, pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { ranks } from "../../numeric/statistics.ts";
import type { ItemProfile } from "./profile.ts";

export interface Sampler {
  readonly name: string;
  /** @param k - from 1 to all items @returns items, ascending */
  readonly draw: (k: number, random: RandomSource) => Uint32Array;
}

/** Exponents of tilted draws: an item at the upper end is e^2τ times as likely as one at the lower. */
const TILTS = [1, 2, 4];

/**
 * The samplers of a profile. Chances are in proportion to item weights but for what a sampler changes:
 * - `random`;
 * - `stratified COLUMN`: spread evenly over the items in the order of a column;
 * - `high COLUMN`, `low COLUMN`: chances times e^{±τu}, u the item's place in the column's order from −1 to 1, τ 1, 2 or
 *   4 (`high difficulty` is hard-first, `low difficulty` easy-first);
 * - `clusters`: spread evenly over the clusters.
 */
export function samplers({ weights, columns, labels }: ItemProfile): Sampler[] {
  const shuffled = (random: RandomSource): number[] => random.fork("order").shuffle([...weights.keys()]);
  /** Spread over an order of the items, ties in random order. */
  const spread =
    (key: ArrayLike<number>) =>
    (k: number, random: RandomSource): Uint32Array =>
      sample(
        shuffled(random).sort((x, y) => key[x]! - key[y]!),
        weights,
        k,
        random,
      );
  const tilted =
    (places: Float64Array, sign: number) =>
    (k: number, random: RandomSource): Uint32Array => {
      const tilt = sign * TILTS[random.fork("tilt").below(TILTS.length)]!;
      const chances = weights.map((weight, i) => weight * Math.exp(tilt * places[i]!));
      return sample(shuffled(random), chances, k, random);
    };
  return [
    { name: "random", draw: (k, random) => sample(shuffled(random), weights, k, random) },
    ...columns.flatMap(({ name, values }): Sampler[] => {
      const places = orderPlaces(values);
      return [
        { name: `stratified ${name}`, draw: spread(values) },
        { name: `high ${name}`, draw: tilted(places, 1) },
        { name: `low ${name}`, draw: tilted(places, -1) },
      ];
    }),
    { name: "clusters", draw: spread(labels) },
  ];
}

/** @param order - of the items @param chances - by item, up to a factor */
function sample(order: readonly number[], chances: Float64Array, k: number, random: RandomSource): Uint32Array {
  const ordered = Float64Array.from(order, (item) => chances[item]!);
  const drawn = pivotalSample(inclusionProbabilities(ordered, k), random.fork("draw"));
  return Uint32Array.from(drawn, (place) => order[place]!).sort();
}

/** Places in ascending order, from −1 to 1; equals share their mean place. */
function orderPlaces(values: Float64Array): Float64Array {
  const { length } = values;
  return ranks(values).map((rank) => (length > 1 ? (2 * (rank - 1)) / (length - 1) - 1 : 0));
}

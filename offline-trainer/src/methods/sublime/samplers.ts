import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { inclusionProbabilities, pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { ranks } from "../../numeric/statistics.ts";
import { apportion } from "../../numeric/apportion.ts";
import type { ItemGroups } from "./item-features.ts";
import type { ItemProfile } from "./profile.ts";

export interface Sampler {
  readonly name: string;
  /** @param k - from 1 to all items @returns items, ascending */
  readonly draw: (k: number, random: RandomSource) => Uint32Array;
}

/** Exponents of tilted draws: an item at the upper end is e^2τ times as likely as one at the lower. */
const TILTS = [1, 2, 4];

/**
 * All samplers of a profile. Chances are in proportion to item weights but for what a sampler changes:
 * - `random`;
 * - `stratified COLUMN`: spread evenly over the items in the order of a column;
 * - `high COLUMN`, `low COLUMN`: chances times e^{±τu}, u the item's place in the column's order from −1 to 1, τ 1, 2 or
 *   4 (`high difficulty` is hard-first, `low difficulty` easy-first, a quality column's is quality-first);
 * - `stratified subscenario`: spread evenly over the subscenarios, where there are several;
 * - `clusters`: spread evenly over the clusters;
 * - `farthest`: from a random item on, always the one farthest from all before (dispersion; it ignores weights).
 *
 * Where strata are to be kept, each draws as many items of every stratum as {@link strataOf} says.
 */
export function samplers(profile: ItemProfile): Sampler[] {
  const { weights, columns, labels, subscenarios } = profile;
  const strata = remembered((k: number) => strataOf(profile.strata, weights, k));
  const shuffled = (random: RandomSource): number[] => random.fork("order").shuffle([...weights.keys()]);
  /** Spread over an order of the items, ties in random order. */
  const spread =
    (key: ArrayLike<number>) =>
    (k: number, random: RandomSource): Uint32Array => {
      const order = shuffled(random).sort((x, y) => key[x]! - key[y]!);
      return sample(order, weights, strata(k), random);
    };
  const tilted =
    (places: Float64Array, sign: number) =>
    (k: number, random: RandomSource): Uint32Array => {
      const tilt = sign * TILTS[random.fork("tilt").below(TILTS.length)]!;
      const chances = weights.map((weight, i) => weight * Math.exp(tilt * places[i]!));
      return sample(shuffled(random), chances, strata(k), random);
    };
  return [
    { name: "random", draw: (k, random) => sample(shuffled(random), weights, strata(k), random) },
    ...columns.flatMap(({ name, values }): Sampler[] => {
      const places = orderPlaces(values);
      return [
        { name: `stratified ${name}`, draw: spread(values) },
        { name: `high ${name}`, draw: tilted(places, 1) },
        { name: `low ${name}`, draw: tilted(places, -1) },
      ];
    }),
    ...(subscenarios ? [{ name: "stratified subscenario", draw: spread(subscenarios.labels) }] : []),
    { name: "clusters", draw: spread(labels) },
    { name: "farthest", draw: (k, random) => farthestFirst(profile, strata(k), random) },
  ];
}

/** @param order - of the items @param chances - by item, up to a factor */
function sample(
  order: readonly number[],
  chances: Float64Array,
  strata: readonly Stratum[],
  random: RandomSource,
): Uint32Array {
  const draw = random.fork("draw");
  const drawn = strata.flatMap(({ items, quota }) => {
    const members = new Set(items);
    const own = order.filter((item) => members.has(item));
    const ownChances = Float64Array.from(own, (item) => chances[item]!);
    return pivotalSample(inclusionProbabilities(ownChances, quota), draw).map((place) => own[place]!);
  });
  return Uint32Array.from(drawn).sort();
}

/** Places in ascending order, from −1 to 1; equals share their mean place. */
function orderPlaces(values: Float64Array): Float64Array {
  const { length } = values;
  return ranks(values).map((rank) => (length > 1 ? (2 * (rank - 1)) / (length - 1) - 1 : 0));
}

/** @see Gonzalez (1985), Theoretical Computer Science 38, 293–306 */
function farthestFirst({ count, points }: ItemProfile, strata: readonly Stratum[], random: RandomSource): Uint32Array {
  const { dims, values } = points;
  const nearest = new Float64Array(count).fill(Infinity);
  const stratumOf = new Int32Array(count);
  const left = strata.map(({ quota }) => quota);
  const close = (s: number): void => strata[s]!.items.forEach((item) => (nearest[item] = -1));
  strata.forEach(({ items, quota }, s) => {
    for (const item of items) stratumOf[item] = s;
    if (quota === 0) close(s);
  });
  const open = Array.from(nearest.keys()).filter((item) => nearest[item]! >= 0);
  const chosen = new Uint32Array(left.reduce((sum, quota) => sum + quota, 0));
  let next = open[random.below(open.length)]!;
  for (let j = 0; j < chosen.length; j++) {
    chosen[j] = next;
    nearest[next] = -1; // taken
    if (--left[stratumOf[next]!]! === 0) close(stratumOf[next]!);
    let best = -1;
    for (let i = 0; i < count; i++) {
      if (nearest[i]! < 0) continue;
      let square = 0;
      for (let d = 0; d < dims; d++) square += (values[i * dims + d]! - values[next * dims + d]!) ** 2;
      nearest[i] = Math.min(nearest[i]!, square);
      if (best < 0 || nearest[i]! > nearest[best]!) best = i;
    }
    next = best;
  }
  return chosen.sort();
}

/** Items of a stratum, ascending, and how many of them a subset has. */
type Stratum = ReturnType<typeof strataOf>[0];

/**
 * How many items a subset of k has of every stratum: its share of Σπ_i, π_i = min(1, c·w_i), in whole numbers by largest
 * remainders, so that no stratum is asked for more than it has.
 * @param groups - null: one stratum of all items
 */
export function strataOf(groups: ItemGroups | null, weights: Float64Array, k: number) {
  const labels = groups?.labels ?? new Int32Array(weights.length);
  const all = [...weights.keys()];
  const strata = [...new Set(labels)].map((label) => all.filter((i) => labels[i] === label));
  const chances = inclusionProbabilities(weights, k);
  const shares = strata.map((items) => items.reduce((sum, i) => sum + chances[i]!, 0));
  const quotas = apportion(k, shares, 0);
  return strata.map((items, s) => ({ items, quota: quotas[s]! }));
}

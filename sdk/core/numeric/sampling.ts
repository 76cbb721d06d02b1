import type { RandomSource } from "./random.ts";

/**
 * An item is drawn with between 1/4 and 4 times the probability of an even draw, whatever its measure says. An answer
 * counts by 1/π: where the measure is wrong, an item that hardly had a chance and still tells much would carry a drawn
 * form by itself, and no interval of few answers would know. So a mean's variance is at most four times that of an even
 * draw (docs/decisions/anchors.md).
 */
export const MOST_TILT = 4;

/**
 * Inclusion probabilities proportional to weight, π_i = min(1, c·w_i), with c such that they sum to n.
 * @param weights - positive item weights
 * @param n - sample size, at most the number of items
 * @see Särndal, Swensson & Wretman (1992), §3.6
 */
export function inclusionProbabilities(weights: Float64Array, n: number): Float64Array {
  const out = new Float64Array(weights.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  if ((n * heaviest) / sum < 1 - 1e-12) return weights.map((weight) => (n * weight) / sum); // none is certain
  const order = Array.from({ length: weights.length }, (_, i) => i).sort((x, y) => weights[y]! - weights[x]! || x - y);
  let open = sum;
  let left = n;
  let rank = 0;
  // The heaviest are certain as long as their share would exceed one.
  for (; rank < order.length && left > 0 && (left * weights[order[rank]!]!) / open >= 1 - 1e-12; rank++) {
    out[order[rank]!] = 1;
    open -= weights[order[rank]!]!;
    left--;
  }
  for (; rank < order.length; rank++) out[order[rank]!] = (left * weights[order[rank]!]!) / open;
  return out;
}

/**
 * Ordered pivotal sampling: a fixed-size sample with exactly the given inclusion probabilities, spread along the order
 * of the units. Two neighbours at a time settle their probabilities until one is sure of being in or out, so every
 * run of units with total probability 1 holds about one draw: one draw from each stratum of equal π-mass, where a unit
 * on a border counts in both and can't be drawn twice.
 * @param probabilities - π in [0,1] in the units' order; their sum must be whole (to rounding)
 * @returns positions drawn, ascending
 * @see Deville & Tillé (1998), Biometrika 85, 89–101; Chauvet (2012), Bernoulli 18, 1320–1340
 */
export function pivotalSample(probabilities: ArrayLike<number>, random: RandomSource): number[] {
  const drawn: number[] = [];
  const certain = 1 - 1e-9;
  let carried = -1; // the unit that is still undecided
  let share = 0;
  for (let k = 0; k < probabilities.length; k++) {
    const probability = probabilities[k]!;
    if (probability >= certain) {
      drawn.push(k);
      continue;
    }
    if (probability <= 0) continue;
    if (carried < 0) {
      carried = k;
      share = probability;
      continue;
    }
    const total = share + probability;
    if (total < certain) {
      // One of them drops out; the other carries both probabilities on.
      if (random.next() * total >= share) carried = k;
      share = total;
    } else {
      // One of them is drawn; the other carries on what is left over.
      const left = Math.max(0, total - 1);
      const keepCarried = random.next() * (2 - total) < 1 - probability;
      drawn.push(keepCarried ? carried : k);
      if (keepCarried) carried = k;
      share = left;
      if (left <= 1e-9) carried = -1;
    }
  }
  if (carried >= 0 && share > 0.5) drawn.push(carried); // what rounding left of a whole unit
  return sortNearlySorted(drawn);
}

/** Ascending, in place: a carried unit stands a few places behind its own. */
function sortNearlySorted(values: number[]): number[] {
  for (let j = 1; j < values.length; j++) {
    const value = values[j]!;
    let at = j;
    for (; at > 0 && values[at - 1]! > value; at--) values[at] = values[at - 1]!;
    values[at] = value;
  }
  return values;
}

import type { RandomSource } from "anchoreval/core";

/**
 * The best of some individuals drawn with replacement.
 * @param errors - of all @param contestants - how many are drawn
 */
export function tournament(errors: Float64Array, contestants: number, random: RandomSource): number {
  let best = random.below(errors.length);
  for (let k = 1; k < contestants; k++) {
    const other = random.below(errors.length);
    if (errors[other]! < errors[best]! || (errors[other] === errors[best] && other < best)) best = other;
  }
  return best;
}

/** Uniform crossover: each bit from either parent with probability ½. */
export function crossover(child: Uint8Array, one: Uint8Array, other: Uint8Array, random: RandomSource): void {
  let coins = 1; // a leading one above the bits that are left
  for (let p = 0; p < child.length; p++) {
    child[p] = one[p]!;
    if (one[p] === other[p]) continue;
    if (coins === 1) coins = random.below(2 ** 24) + 2 ** 24;
    if ((coins & 1) === 1) child[p] = other[p]!;
    coins >>>= 1;
  }
}

/** Flips each bit with a probability: goes from flip to flip by geometric steps. */
export function mutate(child: Uint8Array, rate: number, random: RandomSource): void {
  if (rate >= 1) {
    for (let p = 0; p < child.length; p++) child[p] = 1 - child[p]!;
    return;
  }
  const scale = 1 / Math.log1p(-rate);
  const step = (): number => Math.floor(Math.log1p(-random.next()) * scale);
  for (let p = step(); p < child.length; p += 1 + step()) child[p] = 1 - child[p]!;
}

/**
 * Brings a mask to exactly k ones: takes random ones out or puts random others in, all alike likely.
 * @param k - at most the mask's length
 */
export function repair(child: Uint8Array, k: number, random: RandomSource): void {
  let ones = 0;
  for (let p = 0; p < child.length; p++) ones += child[p]!;
  if (ones === k) return;
  const wrong = ones > k ? 1 : 0;
  const places: number[] = [];
  for (let p = 0; p < child.length; p++) if (child[p] === wrong) places.push(p);
  for (let left = Math.abs(ones - k), rest = places.length; left > 0; left--, rest--) {
    const drawn = random.below(rest);
    child[places[drawn]!] = 1 - wrong;
    places[drawn] = places[rest - 1]!;
  }
}

import type { AnsweredSample } from "./types.ts";

/**
 * What the answers alone prove: the full score S lies in [Σ_A w·y, Σ_A w·y + Σ_U w], since every score is in [0,1].
 * With all items answered both ends are S.
 * @param weights - item weights summing to 1
 */
export function knownBounds(weights: Float64Array, sample: AnsweredSample): { low: number; high: number } {
  let low = 0;
  let known = 0;
  for (let j = 0; j < sample.items.length; j++) {
    const weight = weights[sample.items[j]!]!;
    known += weight;
    low += weight * sample.scores[j]!;
  }
  const rest = sample.items.length === weights.length ? 0 : Math.max(0, 1 - known); // weights sum to 1 up to rounding
  return { low: Math.min(1, low), high: Math.min(1, low + rest) };
}

import type { AnsweredSample } from "./types.ts";

/**
 * What the answers alone prove: the full score S lies in [Σ_A w·y, Σ_A w·y + Σ_U w], since every score is in [0,1].
 * With all items answered both ends are S.
 * @param weights - item weights summing to 1
 */
export function knownBounds(weights: Float64Array, sample: AnsweredSample): { low: number; high: number } {
  let low = 0;
  let high = 0;
  const answered = new Uint8Array(weights.length);
  for (let j = 0; j < sample.items.length; j++) {
    const i = sample.items[j]!;
    answered[i] = 1;
    low += weights[i]! * sample.scores[j]!;
  }
  for (let i = 0; i < weights.length; i++) if (answered[i] === 0) high += weights[i]!;
  return { low: Math.min(1, low), high: Math.min(1, low + high) }; // weights sum to 1 up to rounding
}

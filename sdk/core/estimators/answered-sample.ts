import type { AnchorSet, AnsweredSample } from "./types.ts";

/**
 * Answered share of the anchors' weight below which a scenario's interval isn't given, nor its answers counted
 * elsewhere (docs/decisions/intervals.md).
 */
export const LEAST_ANSWERED_SHARE = 0.7;

/**
 * The answered part of an anchor set. The mass of an anchor without an answer goes to its answered neighbours in
 * the anchors' order (half to either side, all to the one there is at an end): neighbours are items of like
 * difficulty, so this is imputation within neighbouring strata, right where answers are missing at random.
 * @param scores - aligned with `anchors.items`; NaN = no answer
 * @returns null where nothing was answered
 */
export function answeredSample(anchors: AnchorSet, scores: ArrayLike<number>): AnsweredSample | null {
  const count = anchors.items.length;
  let size = 0;
  for (let j = 0; j < count; j++) if (!Number.isNaN(scores[j]!)) size++;
  if (size === 0) return null;

  const rate = size / count;
  const items = new Uint32Array(size);
  const positions = new Uint32Array(size);
  const sampleScores = new Float64Array(size);
  const mass = new Float64Array(size);
  const inclusion = anchors.inclusion && new Float64Array(size);
  for (let j = 0, k = 0; j < count; j++) {
    if (Number.isNaN(scores[j]!)) continue;
    items[k] = anchors.items[j]!;
    positions[k] = j;
    sampleScores[k] = scores[j]!;
    mass[k] = anchors.mass[j]!;
    if (inclusion !== null) inclusion[k] = anchors.inclusion![j]! * rate;
    k++;
  }
  let total = 0;
  let seen = 0;
  let next = 0; // which of the answered is the first at or after j
  for (let j = 0; j < count; j++) {
    const weight = anchors.mass[j]!;
    total += weight;
    if (positions[next] === j) {
      seen += weight;
      next++;
      continue;
    }
    const before = next - 1;
    if (before < 0) mass[next] = mass[next]! + weight;
    else if (next === size) mass[before] = mass[before]! + weight;
    else {
      mass[before] = mass[before]! + weight / 2;
      mass[next] = mass[next]! + weight / 2;
    }
  }
  for (let k = 0; k < size; k++) mass[k] = mass[k]! / total;
  // Free of the sums' rounding, so that 35 of 50 equal anchors are exactly .7.
  const share = size === count ? 1 : Math.round((seen / total) * 1e12) / 1e12;
  return { items, positions, scores: sampleScores, mass, inclusion, share };
}

/**
 * All items of a scenario as a sample that each of them was sure to be in.
 * @param weights - item weights summing to 1
 * @param scores - aligned with them
 */
export function wholeSample(weights: Float64Array, scores: Float64Array): AnsweredSample {
  const items = Uint32Array.from(weights, (_, item) => item);
  return {
    items,
    positions: items,
    scores,
    mass: weights,
    inclusion: new Float64Array(items.length).fill(1),
    share: 1,
  };
}

/** The range of a score that answers alone prove. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A score within what the answers prove. @example clamp(1.2, { low: 0, high: 0.9 }) // 0.9 */
export function clamp(score: number, { low, high }: Bounds): number {
  return Math.min(high, Math.max(low, score));
}

/**
 * The range that the answers alone prove: the full score S lies in [Σ_A w·y, Σ_A w·y + Σ_U w], since every score is in [0,1].
 * With all items answered both ends are S.
 * @param weights - item weights summing to 1
 */
export function knownBounds(weights: Float64Array, sample: AnsweredSample): Bounds {
  let low = 0;
  let answeredWeight = 0;
  for (let j = 0; j < sample.items.length; j++) {
    const weight = weights[sample.items[j]!]!;
    answeredWeight += weight;
    low += weight * sample.scores[j]!;
  }
  const rest = sample.items.length === weights.length ? 0 : Math.max(0, 1 - answeredWeight); // weights sum to 1 up to rounding
  return { low: Math.min(1, low), high: Math.min(1, low + rest) };
}

/** ŝ(1−ŝ) of one answer at ŝ = (n·score + 1)/(n + 2), never 0: a uniform prior's two answers beside the n seen. */
export function bernoulliVariance(score: number, answers: number): number {
  const shrunk = (score * answers + 1) / (answers + 2);
  return shrunk * (1 - shrunk);
}

import type { AnchorSet, AnsweredSample } from "./types.ts";

/** Answered share of the anchors' weight below which a scenario's interval isn't given, nor its answers counted elsewhere. */
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
  const answered: number[] = [];
  for (let j = 0; j < count; j++) if (!Number.isNaN(scores[j]!)) answered.push(j);
  if (answered.length === 0) return null;

  const mass = Float64Array.from(answered, (j) => anchors.mass[j]!);
  let total = 0;
  let seen = 0;
  let next = 0; // position in `answered` of the first answered anchor at or after j
  for (let j = 0; j < count; j++) {
    const own = anchors.mass[j]!;
    total += own;
    if (answered[next] === j) {
      seen += own;
      next++;
      continue;
    }
    const before = next - 1;
    if (before < 0) mass[next] = mass[next]! + own;
    else if (next === answered.length) mass[before] = mass[before]! + own;
    else {
      mass[before] = mass[before]! + own / 2;
      mass[next] = mass[next]! + own / 2;
    }
  }
  const rate = answered.length / count;
  return {
    items: Uint32Array.from(answered, (j) => anchors.items[j]!),
    positions: Uint32Array.from(answered),
    scores: Float64Array.from(answered, (j) => scores[j]!),
    mass: mass.map((value) => value / total),
    inclusion: anchors.inclusion && Float64Array.from(answered, (j) => anchors.inclusion![j]! * rate),
    share: answered.length === count ? 1 : seen / total,
  };
}

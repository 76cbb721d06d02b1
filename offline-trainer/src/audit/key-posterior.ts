import { CURVE_KINDS, PLACES, type CurveKind, type CurveTable } from "./key-curves.ts";

/** Posterior probability of each kind of curve, summing to 1. */
export type KeyPosterior = Readonly<Record<CurveKind, number>>;

/** Kinds before the data, and how many items that counts for: most items of most benchmarks are sound. */
const PRIOR_SHARES: Readonly<Record<CurveKind, number>> = {
  rising: 0.92,
  falling: 0.02,
  flat: 0.02,
  peaked: 0.02,
  dipped: 0.02,
};
const PRIOR_ITEMS = 50;
/** Items that the even spread over slopes and locations counts for. */
const PRIOR_PLACED = 20;
/** Items that shares and places are learned from, evenly spaced where there are more. */
const LEARNED_FROM = 2000;
/** Rounds of expectation and maximisation at most; it ends when no share moves by more than this. */
const ROUNDS = 40;
const STILL = 1e-4;

/**
 * Posterior probabilities of the kinds of curve of every item, by empirical Bayes: the shares of the kinds, and the
 * spread of sound items over slopes and locations, are learned from the items themselves (EM). An item whose key is wrong,
 * or that turns, is taken to be like the others but for that: it has their slopes and locations.
 * @param likelihood - of every curve, a row an item, over the row's largest
 */
export function keyPosteriors(likelihood: Float32Array, { counts, places }: CurveTable): KeyPosterior[] {
  const width = places.length;
  const items = likelihood.length / width;
  const prior = Float64Array.from(CURVE_KINDS, (kind) => PRIOR_SHARES[kind]);
  let shares = prior;
  let spread = new Float64Array(PLACES).fill(1 / PLACES);
  const weight = new Float64Array(width);
  const joint = new Float64Array(counts.length);
  /** Every curve's prior probability: its kind's share, its place's among sound items, its part of those alike. */
  const weigh = (): void => {
    let c = 0;
    counts.forEach((count, kind) => {
      for (const end = c + count; c < end; c++)
        weight[c] = places[c]! < 0 ? shares[kind]! / count : (shares[kind]! * spread[places[c]!]! * PLACES) / count;
    });
  };
  /** Posterior of an item's kinds, left in `joint`. @returns what they were divided by */
  const expect = (item: number): number => {
    let all = 0;
    let c = 0;
    for (let kind = 0; kind < counts.length; kind++) {
      let sum = 0;
      for (const end = c + counts[kind]!; c < end; c++) sum += weight[c]! * likelihood[item * width + c]!;
      joint[kind] = sum;
      all += sum;
    }
    for (let kind = 0; kind < joint.length; kind++) joint[kind]! /= all;
    return all;
  };
  weigh();
  const learned = Math.min(items, LEARNED_FROM);
  for (let round = 0, moved = 1; round < ROUNDS && moved > STILL; round++) {
    const kinds = prior.map((share) => PRIOR_ITEMS * share);
    const placed = new Float64Array(PLACES).fill(PRIOR_PLACED / PLACES);
    for (let k = 0; k < learned; k++) {
      const item = Math.floor((k * items) / learned);
      const all = expect(item);
      for (let kind = 0; kind < kinds.length; kind++) kinds[kind]! += joint[kind]!;
      for (let c = 0; c < counts[0]!; c++) placed[places[c]!]! += (weight[c]! * likelihood[item * width + c]!) / all;
    }
    const next = kinds.map((own) => own / (learned + PRIOR_ITEMS));
    moved = next.reduce((most, share, kind) => Math.max(most, Math.abs(share - shares[kind]!)), 0);
    shares = next;
    const all = placed.reduce((sum, own) => sum + own, 0);
    spread = placed.map((own) => own / all);
    weigh();
  }
  return Array.from({ length: items }, (_, item) => {
    expect(item);
    return Object.fromEntries(CURVE_KINDS.map((kind, k) => [kind, joint[k]!])) as KeyPosterior;
  });
}

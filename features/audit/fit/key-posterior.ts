import { sigmoid } from "anchoreval/internal/core/numeric/functions";

/** Posterior probability of each kind of curve, summing to 1. */
export type KeyPosterior = Readonly<Record<CurveKind, number>>;

/** Prior shares of the kinds, and their weight in items: most items of most benchmarks are sound. */
const PRIOR_SHARES: Readonly<Record<CurveKind, number>> = {
  rising: 0.92,
  falling: 0.02,
  flat: 0.02,
  peaked: 0.02,
  dipped: 0.02,
};
const PRIOR_ITEMS = 50;
/** Weight, in items, of the even spread over slopes and locations. */
const PRIOR_PLACED = 20;
/** Items that shares and places are learned from, evenly spaced where there are more. */
const LEARNED_FROM = 2000;
/** Most rounds of expectation and maximisation, and the change of shares below which they end. */
const ROUNDS = 40;
const STILL = 1e-4;

/**
 * Posterior probabilities of the kinds of curve of every item, by empirical Bayes: the shares of the kinds, and the
 * spread of sound items over slopes and locations, are learned from the items themselves (EM). An item whose key is wrong,
 * or that turns, is assumed to share the slopes and locations of the others.
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
  /** Computes the posterior of an item's kinds into `joint`. @returns the normalising constant */
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
    const atPlaces = new Float64Array(PLACES).fill(PRIOR_PLACED / PLACES);
    for (let k = 0; k < learned; k++) {
      const item = Math.floor((k * items) / learned);
      const all = expect(item);
      for (let kind = 0; kind < kinds.length; kind++) kinds[kind]! += joint[kind]!;
      for (let c = 0; c < counts[0]!; c++) atPlaces[places[c]!]! += (weight[c]! * likelihood[item * width + c]!) / all;
    }
    const next = kinds.map((count) => count / (learned + PRIOR_ITEMS));
    moved = next.reduce((most, share, kind) => Math.max(most, Math.abs(share - shares[kind]!)), 0);
    shares = next;
    const all = atPlaces.reduce((sum, value) => sum + value, 0);
    spread = atPlaces.map((value) => value / all);
    weigh();
  }
  return Array.from({ length: items }, (_, item) => {
    expect(item);
    return Object.fromEntries(CURVE_KINDS.map((kind, k) => [kind, joint[k]!])) as KeyPosterior;
  });
}

/**
 * Kinds of curves of an item's share of right answers as models get stronger: rising, as it should; falling, as it does
 * where the key is wrong; flat; or best, or worst, in the middle.
 */
export const CURVE_KINDS = ["rising", "falling", "flat", "peaked", "dipped"] as const;
export type CurveKind = (typeof CURVE_KINDS)[number];

/** Curves at G abilities, in the order of CURVE_KINDS. */
export type CurveTable = ReturnType<typeof keyCurves>;

const SLOPES = [0.5, 1, 1.7, 3, 5];
const LOCATIONS = Array.from({ length: 13 }, (_, k) => -3 + k / 2);
/** Pairs of a slope and a location. */
export const PLACES = SLOPES.length * LOCATIONS.length;
/** Probability of a right answer of the weakest models; and of the strongest. */
const FLOORS = [0, 0.25];
const CEILINGS = [0.85, 1];
/** Share of weak models that a wrong key agrees with. */
const PULLS = [0.2, 0.35, 0.5, 0.65, 0.8, 1];
const LEVELS = Array.from({ length: 19 }, (_, k) => (k + 1) / 20);
/** How far behind its rise a curve turns, in logits, and which share of it is lost. */
const TURNS = [1, 2, 3];
const LOSS = 0.85;
/** Slips and guesses: the largest probability of any answer. */
const SUREST = 0.99;

/**
 * The curves that an item is compared with, on a grid of slopes s, locations t and asymptotes:
 * rising l + (u−l)·σ(s·(x−t)), falling h·σ(−s·(x−t)), flat h, peaked l + (1−l)·g and dipped 1 − (1−l)·g with
 * g = σ(s·(x−t))·(1 − 0.85·σ(s·(x−t) − δ)).
 * @param x - general abilities, standardised
 */
export function keyCurves(x: Float64Array) {
  const curves: { kind: CurveKind; place: number; p: Float64Array }[] = [];
  const add = (kind: CurveKind, place: number, curve: (ability: number) => number): void => {
    const p = x.map((ability) => Math.min(SUREST, Math.max(1 - SUREST, curve(ability))));
    curves.push({ kind, place, p });
  };
  for (let place = 0; place < PLACES; place++) {
    const s = SLOPES[place % SLOPES.length]!;
    const t = LOCATIONS[Math.floor(place / SLOPES.length)]!;
    for (const h of PULLS) add("falling", place, (ability) => h * sigmoid(s * (t - ability)));
    for (const l of FLOORS) {
      for (const u of CEILINGS) add("rising", place, (ability) => l + (u - l) * sigmoid(s * (ability - t)));
      for (const delay of TURNS) {
        const hump = (ability: number): number =>
          (1 - l) * sigmoid(s * (ability - t)) * (1 - LOSS * sigmoid(s * (ability - t) - delay));
        add("peaked", place, (ability) => l + hump(ability));
        add("dipped", place, (ability) => 1 - hump(ability));
      }
    }
  }
  for (const h of LEVELS) add("flat", -1, () => h);
  const sorted = CURVE_KINDS.map((kind) => curves.filter((curve) => curve.kind === kind));
  const p = Float64Array.from(sorted.flat().flatMap((curve) => Array.from(curve.p)));
  return {
    /** Curves of each kind. */
    counts: sorted.map((ofKind) => ofKind.length),
    /** Slope and location of every curve, as one number below {@link PLACES}; −1 of a flat one. */
    places: Int8Array.from(sorted.flat(), ({ place }) => place),
    /** log P, and log Q below: a row of G numbers a curve. */
    right: p.map(Math.log),
    wrong: p.map((chance) => Math.log1p(-chance)),
  };
}

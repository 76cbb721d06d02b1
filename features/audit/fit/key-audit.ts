import type { FittedAnswers } from "./fitted-answers.ts";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";

/** Most groups of models of similar ability. */
const GROUPS = 20;
/** Nats below the likeliest curve at which a curve is ignored: beyond the range of float32. */
const NOTHING = 100;

/**
 * The probability that an item's key is wrong: how well curves that rise, fall, stay or turn explain its answers, as
 * posterior probabilities over kinds ({@link keyPosteriors}). It compares the answers with the models' general ability, not
 * with the item's own fitted curve, which would follow them.
 *
 * Models of one family count less, the more alike they answer the item beyond their ability: they aren't independent
 * witnesses ({@link familyWeights}).
 * @param items - of one scenario, as indices
 * @param general - the models' general ability there
 * @param families - family of every model, numbered from 0
 * @returns aligned with `items`
 */
export function keyAudit(
  answers: FittedAnswers,
  items: readonly number[],
  general: Float64Array,
  families: Int32Array,
): KeyPosterior[] {
  const { models, signs } = answers;
  const { group, centres } = abilityGroups(general);
  const curves = keyCurves(centres);
  const width = curves.places.length;
  const answersOf = (item: number): Int8Array => signs.subarray(item * models, (item + 1) * models);
  const likelihood = new Float64Array(width);
  const fill = (item: number, weights?: Float64Array): void => {
    const right = new Float64Array(centres.length);
    const wrong = new Float64Array(centres.length);
    answersOf(item).forEach((sign, m) => {
      if (sign !== 0) (sign > 0 ? right : wrong)[group[m]!]! += weights?.[m] ?? 1;
    });
    logLikelihoods(curves, right, wrong, likelihood);
  };
  const related = new Set(families).size < models;
  const alike = related
    ? items.map((item) => {
        fill(item);
        const best = monotoneBest(curves, likelihood) * centres.length;
        const p = Float64Array.from(group, (g) => Math.exp(curves.right[best + g]!));
        return residualLikeness(answersOf(item), p, families);
      })
    : [];
  const mean = meanLikeness(alike);
  const rows = new Float32Array(items.length * width);
  items.forEach((item, k) => {
    if (related) fill(item, familyWeights(alike[k]!, mean, answersOf(item), families));
    else fill(item);
    let most = -Infinity;
    for (let c = 0; c < width; c++) most = Math.max(most, likelihood[c]!);
    for (let c = 0; c < width; c++)
      if (likelihood[c]! > most - NOTHING) rows[k * width + c] = Math.exp(likelihood[c]! - most);
  });
  return keyPosteriors(rows, curves);
}

/** Models in groups of equal size by ability, and each group's mean. */
function abilityGroups(general: Float64Array): { group: Int32Array; centres: Float64Array } {
  const models = general.length;
  const order = Array.from(general.keys()).sort((x, y) => general[x]! - general[y]! || x - y);
  const groups = Math.min(GROUPS, models);
  const group = new Int32Array(models);
  const centres = new Float64Array(groups);
  const sizes = new Float64Array(groups);
  order.forEach((m, rank) => {
    const g = Math.floor((rank * groups) / models);
    group[m] = g;
    centres[g]! += general[m]!;
    sizes[g]!++;
  });
  return { group, centres: centres.map((sum, g) => sum / sizes[g]!) };
}

function logLikelihoods(curves: CurveTable, right: Float64Array, wrong: Float64Array, out: Float64Array): void {
  const groups = right.length;
  for (let c = 0, at = 0; c < out.length; c++) {
    let sum = 0;
    for (let g = 0; g < groups; g++, at++) sum += right[g]! * curves.right[at]! + wrong[g]! * curves.wrong[at]!;
    out[c] = sum;
  }
}

/** The likeliest of the curves that only rise or only fall, which come first. */
function monotoneBest({ counts }: CurveTable, likelihood: Float64Array): number {
  let best = 0;
  for (let c = 1; c < counts[0]! + counts[1]!; c++) if (likelihood[c]! > likelihood[best]!) best = c;
  return best;
}

/** How alike the members of families answer one item, beyond what their ability explains. */
type Likeness = ReturnType<typeof residualLikeness>;

/** Weight, in pairs, of the mean over all items in an item's own likeness. */
const PRIOR_PAIRS = 50;

/**
 * Σ of products of the residuals (y − p)/√(pq) over pairs of one family, over their mean square; and those pairs, each
 * counted both ways.
 * @param signs - answers of the models: +1, −1, 0 missing
 * @param p - probability of each, in (0,1)
 */
export function residualLikeness(signs: Int8Array, p: Float64Array, families: Int32Array) {
  const sums = new Map<number, { sum: number; squares: number; models: number }>();
  let squares = 0;
  let models = 0;
  signs.forEach((sign, m) => {
    if (sign === 0) return;
    const z = ((sign > 0 ? 1 : 0) - p[m]!) / Math.sqrt(p[m]! * (1 - p[m]!));
    const family = sums.get(families[m]!) ?? { sum: 0, squares: 0, models: 0 };
    family.sum += z;
    family.squares += z * z;
    family.models++;
    sums.set(families[m]!, family);
    squares += z * z;
    models++;
  });
  const byFamily = [...sums.values()];
  const products = byFamily.reduce((all, { sum, squares: its }) => all + (sum ** 2 - its), 0);
  const pairs = byFamily.reduce((all, { models: members }) => all + members * (members - 1), 0);
  return { products: squares > 0 ? (products * models) / squares : 0, pairs };
}

/** Mean intraclass correlation of all items. */
export function meanLikeness(items: readonly Likeness[]): number {
  const pairs = items.reduce((sum, item) => sum + item.pairs, 0);
  return pairs > 0 ? items.reduce((sum, { products }) => sum + products, 0) / pairs : 0;
}

/**
 * Weights of related models for an item: 1/(1 + (n − 1)·ρ) for a family of which n models answered it, with ρ the item's
 * intraclass correlation, shrunk to the mean over all items. A family then counts as much as the effective size of a
 * cluster.
 * @param mean - of {@link meanLikeness}
 * @see Kish (1965), Survey Sampling, §5.4
 */
export function familyWeights(
  { products, pairs }: Likeness,
  mean: number,
  signs: Int8Array,
  families: Int32Array,
): Float64Array {
  const rho = Math.min(1, Math.max(0, (products + PRIOR_PAIRS * mean) / (pairs + PRIOR_PAIRS)));
  const answered = new Map<number, number>();
  signs.forEach((sign, m) => {
    if (sign !== 0) answered.set(families[m]!, (answered.get(families[m]!) ?? 0) + 1);
  });
  return Float64Array.from(families, (family) => 1 / (1 + ((answered.get(family) ?? 1) - 1) * rho));
}

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
type CurveTable = ReturnType<typeof keyCurves>;

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

import { type CurveTable, keyCurves, type KeyPosterior, keyPosteriors } from "./key-posterior.ts";
import type { FittedAnswers } from "./fitted-answers.ts";

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

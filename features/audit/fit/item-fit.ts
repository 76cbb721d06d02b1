import { cholesky, choleskyInverse } from "anchoreval/internal/core/numeric/dense";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";
import type { FittedAnswers, ItemAtFit } from "./fitted-answers.ts";
import { LEAST_MODELS_FOR_AUDIT } from "./item-statistics.ts";

/** A χ² test of one item's curve. */
export interface ItemFitTest {
  readonly statistic: number;
  readonly degrees: number;
  readonly p: number;
}

/** Most groups of models. */
const GROUPS = 10;
/** Fewest right and wrong answers expected of a group: sums of fewer aren't close enough to normal. */
const LEAST_EXPECTED = 3;
/** Share of the variance that the item's own parameters must leave in a direction. */
const LEAST_SHARE = 0.1;
/** Makes the information invertible where one model determines a parameter. */
const RIDGE = 1e-3;

/**
 * Residual χ² of an item over groups of models by predicted probability: a score test of a shift of the logit in each
 * group. With C_g = Σ_g PQ·x and the information I, x = (θ, −1), the groups' sums of residuals y − P are
 * r_g = Σ_g (y − P) − C_g·I⁻¹·Σ_m (y − P)·x, and S = rᵀ·V⁻·r with V = diag(Σ_g PQ·(1−h)) − C·I⁻¹·Cᵀ.
 *
 * The second term of r makes it Neyman's C(α): parameters that the prior has shifted don't count against the item.
 * h, the leverage of a model's abilities, is the share they have absorbed of the residual's variance. Degrees of freedom are the
 * directions that the item's parameters leave free, usually groups − 2.
 * @returns null where fewer than three groups can be formed
 * @see Hosmer & Lemeshow (1980), Communications in Statistics A9, 1043–1069; Neyman (1959), C(α) tests;
 *   Glas (1999), Psychometrika 64, 273–294
 */
export function residualGroupsTest({ calibration, design }: FittedAnswers, at: ItemAtFit): ItemFitTest | null {
  const { signs, p, weights, leverage, information } = at;
  const { order, ends } = groupByProbability(at);
  const count = ends.length;
  if (count < 3) return null;
  const size = calibration.dims + 1;
  const residual = new Float64Array(count);
  const variance = new Float64Array(count);
  const cross = new Float64Array(count * size);
  const slope = new Float64Array(size);
  for (let g = 0, rank = 0; g < count; g++)
    for (; rank < ends[g]!; rank++) {
      const m = order[rank]!;
      const weight = weights[m]!;
      const r = (signs[m]! > 0 ? 1 : 0) - p[m]!;
      residual[g] = residual[g]! + r;
      variance[g] = variance[g]! + weight * (1 - leverage[m]!);
      for (let c = 0, x = m * size, line = g * size; c < size; c++, x++, line++) {
        cross[line] = cross[line]! + weight * design[x]!;
        slope[c] = slope[c]! + r * design[x]!;
      }
    }
  const ridged = information.slice();
  for (let k = 0; k < ridged.length; k += size + 1) ridged[k] = ridged[k]! + RIDGE;
  const inverse = choleskyInverse(cholesky(ridged, size)!, size);
  // Scaled so that a group whose residuals nothing has touched has variance 1.
  const scale = variance.map((value) => 1 / Math.sqrt(value));
  const covariance = new Float64Array(count * count);
  const taken = new Float64Array(size);
  for (let g = 0; g < count; g++) {
    taken.fill(0);
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) taken[c] = taken[c]! + cross[g * size + r]! * inverse[r * size + c]!;
    for (let c = 0; c < size; c++) residual[g] = residual[g]! - taken[c]! * slope[c]!;
    for (let h = 0; h < count; h++) {
      let product = 0;
      for (let c = 0; c < size; c++) product += taken[c]! * cross[h * size + c]!;
      covariance[g * count + h] = (g === h ? 1 : 0) - scale[g]! * scale[h]! * product;
    }
  }
  const { values, vectors } = symmetricEigen(covariance, count);
  let statistic = 0;
  let degrees = 0;
  values.forEach((share, k) => {
    if (share < LEAST_SHARE) return;
    let along = 0;
    for (let g = 0; g < count; g++) along += vectors[k * count + g]! * scale[g]! * residual[g]!;
    statistic += along ** 2 / share;
    degrees++;
  });
  return degrees === 0 ? null : { statistic, degrees, p: chiSquareTail(statistic, degrees) };
}

/**
 * Models that answered, by rising probability, in groups of equal size, neighbours joined until each expects enough.
 * @returns the models, and where in that order each group ends
 */
function groupByProbability(at: ItemAtFit): { order: Int32Array; ends: number[] } {
  const { p } = at;
  const order = orderByProbability(at);
  const ends: number[] = [];
  let begin = 0;
  let right = 0;
  for (let rank = 0; rank < order.length; rank++) {
    right += p[order[rank]!]!;
    const isEnd = Math.floor(((rank + 1) * GROUPS) / order.length) > Math.floor((rank * GROUPS) / order.length);
    if (!isEnd || Math.min(right, rank + 1 - begin - right) < LEAST_EXPECTED) continue;
    begin = rank + 1;
    ends.push(begin);
    right = 0;
  }
  if (ends.length > 0) ends[ends.length - 1] = order.length;
  return { order, ends };
}

/**
 * Models that answered, by rising probability, then by number. Sorted into about as many drawers as models by the leading
 * bits of P below ½ and of 1−P above, which rise about as log odds do; then by insertion.
 */
function orderByProbability({ signs, p }: ItemAtFit): Int32Array {
  const models = p.length;
  const small = new Float64Array(1);
  const bits = new Int32Array(small.buffer);
  const keys = new Int32Array(models);
  let [count, lowest, highest] = [0, Infinity, -Infinity];
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    count++;
    const isLow = p[m]! < 0.5;
    small[0] = isLow ? p[m]! : 1 - p[m]!;
    const key = isLow ? bits[1]! - HALF_BITS : HALF_BITS - bits[1]!;
    keys[m] = key;
    if (key < lowest) lowest = key;
    if (key > highest) highest = key;
  }
  const scale = (count - 1) / Math.max(1, highest - lowest);
  const ends = new Int32Array(count);
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    const drawer = Math.floor((keys[m]! - lowest) * scale);
    keys[m] = drawer;
    ends[drawer] = ends[drawer]! + 1;
  }
  for (let k = 1; k < count; k++) ends[k] = ends[k]! + ends[k - 1]!;
  const order = new Int32Array(count);
  for (let m = models - 1; m >= 0; m--) {
    if (signs[m] === 0) continue;
    const place = ends[keys[m]!]! - 1;
    ends[keys[m]!] = place;
    order[place] = m;
  }
  for (let k = 1; k < count; k++) {
    const m = order[k]!;
    const chance = p[m]!;
    let to = k;
    for (; to > 0; to--) {
      const before = order[to - 1]!;
      if (p[before]! < chance || (p[before]! === chance && before < m)) break;
      order[to] = before;
    }
    order[to] = m;
  }
  return order;
}

/** The leading 32 bits of ½. */
const HALF_BITS = 0x3fe00000;

/** Most items: with more, a score determines the ability so well that {@link residualGroupsTest} is the same test for less. */
const MOST_ITEMS = 1000;
/** Fewest right and wrong answers expected of a group of scores. */
const LEAST_EXPECTED_BY_SCORE = 1;
/** Standard deviations over which abilities are integrated, either way. */
const REACH = 5;

type AbilityMoments = Readonly<Record<"mean" | "variance", number>>;

/**
 * Orlando & Thissen's S-X² of every item: observed against expected shares of right answers among the models with the
 * same number of right answers, X² = Σ_k N_k·(O_k − E_k)²/(E_k·(1 − E_k)), neighbouring scores joined until each group
 * expects one right and one wrong answer; degrees of freedom are groups − 2.
 * E_k = ∫ P_i·S*(k−1) dΦ / ∫ S(k) dΦ, with S the distribution of the number of right answers at θ by Lord & Wingersky's
 * recursion, S* without the item, and θ normal. For one dimension, and models that answered all items.
 * @param ability - mean and variance of θ
 * @returns aligned with the items, null where no test can be formed; null for all where it doesn't apply
 * @see Orlando & Thissen (2000), Applied Psychological Measurement 24, 50–64; Lord & Wingersky (1984), ibid. 8, 453–461
 */
export function sX2(answers: FittedAnswers, ability: AbilityMoments): (ItemFitTest | null)[] | null {
  const { models, items, signs, calibration } = answers;
  if (calibration.dims !== 1 || items > MOST_ITEMS) return null;
  const scores = completeScores(answers);
  if (scores.length < LEAST_MODELS_FOR_AUDIT) return null;
  const points = quadrature(ability, calibration.a);
  const observed = [...new Set(scores.map(({ score }) => score))].filter((k) => k > 0 && k < items);
  observed.sort((x, y) => x - y);
  const scored = observed.map((k) => scores.filter(({ score }) => score === k));
  const { a, b } = calibration;
  const p = points.theta.map((theta) => a.map((slope, i) => sigmoid(slope * theta - b[i]!)));
  const whole = p.map(scoreDistribution);
  const total = observed.map((k) => points.weight.reduce((sum, weight, q) => sum + weight * whole[q]![k]!, 0));
  const without = new Float64Array(items);
  return Array.from({ length: items }, (_, i): ItemFitTest | null => {
    const right = new Float64Array(observed.length);
    points.weight.forEach((weight, q) => {
      const chance = p[q]![i]!;
      withoutItem(whole[q]!, chance, without);
      observed.forEach((k, at) => (right[at]! += weight * chance * without[k - 1]!));
    });
    const cells = scored.map((scorers, at) => ({
      models: scorers.length,
      right: scorers.filter(({ model }) => signs[i * models + model]! > 0).length,
      expected: scorers.length * (right[at]! / total[at]!),
    }));
    return scoreGroupsTest(cells);
  });
}

/** Number of right answers of the models that answered every item. */
function completeScores({ models, items, signs }: FittedAnswers): { model: number; score: number }[] {
  const right = new Int32Array(models);
  const answered = new Int32Array(models);
  signs.forEach((sign, k) => {
    if (sign !== 0) answered[k % models]!++;
    if (sign > 0) right[k % models]!++;
  });
  return Array.from(right, (score, model) => ({ model, score })).filter(({ model }) => answered[model] === items);
}

/** Evenly spaced points, closer than half the standard error of all items at the middle. */
function quadrature({ mean, variance }: AbilityMoments, a: Float64Array): { theta: number[]; weight: number[] } {
  const spread = Math.sqrt(variance);
  const information = a.reduce((sum, slope) => sum + slope * slope, 0) / 4;
  const count = Math.ceil(Math.max(61, 4 * REACH * spread * Math.sqrt(information)));
  const theta = Array.from({ length: count }, (_, q) => mean + spread * REACH * ((2 * q) / (count - 1) - 1));
  const density = theta.map((value) => Math.exp(-0.5 * ((value - mean) / spread) ** 2));
  const mass = density.reduce((sum, value) => sum + value, 0);
  return { theta, weight: density.map((value) => value / mass) };
}

/** Distribution of the number of right answers to items that are answered independently. */
export function scoreDistribution(p: Float64Array): Float64Array {
  const out = new Float64Array(p.length + 1);
  out[0] = 1;
  p.forEach((chance, i) => {
    for (let k = i + 1; k > 0; k--) out[k] = out[k]! * (1 - chance) + out[k - 1]! * chance;
    out[0]! *= 1 - chance;
  });
  return out;
}

/**
 * Removes one item from {@link scoreDistribution}: the recursion backwards, from the end at which errors shrink.
 * @param out - filled, one shorter than `whole`
 */
export function withoutItem(whole: Float64Array, p: number, out: Float64Array): void {
  const last = whole.length - 2;
  if (p <= 0.5) {
    let below = 0;
    for (let k = 0; k <= last; k++) below = out[k] = Math.max(0, (whole[k]! - p * below) / (1 - p));
  } else {
    let above = 0;
    for (let k = last; k >= 0; k--) above = out[k] = Math.max(0, (whole[k + 1]! - (1 - p) * above) / p);
  }
}

/** Models with one score, or with some; how many of them got the item right, and how many were expected to. */
type Cell = Readonly<Record<"models" | "right" | "expected", number>>;

function scoreGroupsTest(cells: readonly Cell[]): ItemFitTest | null {
  const none = { models: 0, right: 0, expected: 0 };
  const add = (one: Cell, other: Cell): Cell => ({
    models: one.models + other.models,
    right: one.right + other.right,
    expected: one.expected + other.expected,
  });
  const groups: Cell[] = [];
  let open: Cell = none;
  for (const cell of cells) {
    open = add(open, cell);
    if (Math.min(open.expected, open.models - open.expected) < LEAST_EXPECTED_BY_SCORE) continue;
    groups.push(open);
    open = none;
  }
  if (groups.length < 3) return null;
  groups.push(add(groups.pop()!, open));
  const statistic = groups.reduce((sum, { models, right, expected }) => {
    const share = expected / models;
    return sum + (right - expected) ** 2 / (models * share * (1 - share));
  }, 0);
  const degrees = groups.length - 2;
  return { statistic, degrees, p: chiSquareTail(statistic, degrees) };
}

/**
 * q-values of Benjamini & Hochberg's step-up procedure: the smallest false discovery rate at which a test is rejected,
 * q_(k) = min over j ≥ k of p_(j)·n/j. NaN marks a missing test: it stays NaN and isn't counted.
 * @param p - p-values in [0,1]
 * @returns aligned with `p`
 * @see Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57, 289–300
 */
export function benjaminiHochberg(p: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: p.length }, (_, k) => k).filter((k) => !Number.isNaN(p[k]!));
  order.sort((x, y) => p[x]! - p[y]!);
  const q = new Float64Array(p.length).fill(NaN);
  let least = 1;
  for (let rank = order.length; rank > 0; rank--) {
    const at = order[rank - 1]!;
    least = Math.min(least, (p[at]! * order.length) / rank);
    q[at] = least;
  }
  return q;
}

/**
 * Upper tail of the χ² distribution, P(X ≥ x) = Q(ν/2, x/2): the series of the lower incomplete gamma function below its
 * mean, Lentz's continued fraction of the upper one above it.
 * @param x - 0 or more
 * @param degrees - ν > 0, not necessarily whole
 * @returns a probability in [0,1]; NaN where an argument is none
 * @see Abramowitz & Stegun (1964), 6.5.29 and 6.5.31
 * @example chiSquareTail(3.841459, 1) // ≈ 0.05
 */
export function chiSquareTail(x: number, degrees: number): number {
  if (!(degrees > 0) || Number.isNaN(x)) return NaN;
  if (x <= 0) return 1;
  if (x === Infinity) return 0;
  const [a, t] = [degrees / 2, x / 2];
  const front = Math.exp(a * Math.log(t) - t - logGamma(a));
  if (t < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let k = 1; k < 10_000 && term > 1e-17 * sum; k++) {
      term *= t / (a + k);
      sum += term;
    }
    return Math.max(0, 1 - front * sum);
  }
  const tiny = 1e-300;
  let b = t + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let h = d;
  for (let k = 1; k < 10_000; k++) {
    const product = -k * (k - a);
    b += 2;
    d = product * d + b;
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    c = b + product / c;
    c = Math.abs(c) < tiny ? tiny : c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return front * h;
}

/** log Γ(x) for x > 0: Stirling's series after steps up to x ≥ 12. */
function logGamma(x: number): number {
  let shift = 0;
  for (; x < 12; x++) shift += Math.log(x);
  const s = 1 / (x * x);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

import { sigmoid } from "anchoreval/core";
import { chiSquareTail } from "./chi-square.ts";
import type { FittedAnswers } from "./fitted-answers.ts";
import type { ItemFitTest } from "./residual-groups.ts";

/** Items at most: beyond, a score tells the ability so well that {@link residualGroupsTest} is the same test for less. */
const MOST_ITEMS = 1000;
/** Models that answered everything, at least. */
const LEAST_MODELS = 20;
/** Right and wrong answers that are expected of a group of scores at least. */
const LEAST_EXPECTED = 1;
/** Abilities are integrated over this many standard deviations either way. */
const REACH = 5;

/**
 * Orlando & Thissen's S-X² of every item: observed against expected shares of right answers among the models with the
 * same number of right answers, X² = Σ_k N_k·(O_k − E_k)²/(E_k·(1 − E_k)), neighbouring scores joined until each group
 * expects one right and one wrong answer; degrees of freedom are groups − 2.
 *
 * E_k = ∫ P_i·S*(k−1) dΦ / ∫ S(k) dΦ, with S the distribution of the number of right answers at θ by Lord & Wingersky's
 * recursion, S* without the item, and θ normal. For one dimension, and models that answered all items.
 * @param ability - mean and variance of θ
 * @returns aligned with the items, null where no test can be formed; null for all where it doesn't apply
 * @see Orlando & Thissen (2000), Applied Psychological Measurement 24, 50–64; Lord & Wingersky (1984), ibid. 8, 453–461
 */
export function sX2(
  answers: FittedAnswers,
  ability: { readonly mean: number; readonly variance: number },
): (ItemFitTest | null)[] | null {
  const { models, items, signs, calibration } = answers;
  if (calibration.dims !== 1 || items > MOST_ITEMS) return null;
  const scores = completeScores(answers);
  if (scores.length < LEAST_MODELS) return null;
  const points = quadrature(ability, calibration.a);
  const observed = [...new Set(scores.map(({ score }) => score))].filter((k) => k > 0 && k < items);
  observed.sort((x, y) => x - y);
  const p = points.theta.map((_, q) => probabilitiesAt(points.theta[q]!, answers));
  const whole = p.map((own) => scoreDistribution(own));
  const total = observed.map((k) => points.weight.reduce((sum, weight, q) => sum + weight * whole[q]![k]!, 0));
  const without = new Float64Array(items);
  return Array.from({ length: items }, (_, i): ItemFitTest | null => {
    const right = new Float64Array(observed.length);
    points.weight.forEach((weight, q) => {
      const own = p[q]![i]!;
      withoutItem(whole[q]!, own, without);
      observed.forEach((k, place) => (right[place]! += weight * own * without[k - 1]!));
    });
    const expected = new Map(observed.map((k, place) => [k, right[place]! / total[place]!]));
    const cells = observed.map((k) => ({ expected: expected.get(k)!, models: 0, right: 0 }));
    const place = new Map(observed.map((k, at) => [k, at]));
    for (const { model, score } of scores) {
      const cell = cells[place.get(score) ?? -1];
      if (!cell) continue;
      cell.models++;
      if (signs[i * models + model]! > 0) cell.right++;
    }
    return test(cells);
  });
}

/** Number of right answers of the models that answered every item. */
function completeScores({ models, items, signs }: FittedAnswers): { model: number; score: number }[] {
  const right = new Int32Array(models);
  const missing = new Uint8Array(models);
  for (let i = 0; i < items; i++)
    for (let m = 0; m < models; m++) {
      const sign = signs[i * models + m]!;
      if (sign === 0) missing[m] = 1;
      else if (sign > 0) right[m]!++;
    }
  return Array.from(right, (score, model) => ({ model, score })).filter(({ model }) => missing[model] === 0);
}

/** Even points, closer than half the standard error that all items leave at the middle. */
function quadrature(
  { mean, variance }: { readonly mean: number; readonly variance: number },
  a: Float64Array,
): { theta: number[]; weight: number[] } {
  const spread = Math.sqrt(variance);
  const information = a.reduce((sum, slope) => sum + slope * slope, 0) / 4;
  const count = Math.ceil(Math.max(61, 4 * REACH * spread * Math.sqrt(information)));
  const theta = Array.from({ length: count }, (_, q) => mean + spread * REACH * ((2 * q) / (count - 1) - 1));
  const density = theta.map((value) => Math.exp(-0.5 * ((value - mean) / spread) ** 2));
  const mass = density.reduce((sum, own) => sum + own, 0);
  return { theta, weight: density.map((own) => own / mass) };
}

function probabilitiesAt(theta: number, { items, calibration: { a, b } }: FittedAnswers): Float64Array {
  return Float64Array.from({ length: items }, (_, i) => sigmoid(a[i]! * theta - b[i]!));
}

/** Distribution of the number of right answers to items that are answered independently. */
export function scoreDistribution(p: Float64Array): Float64Array {
  const out = new Float64Array(p.length + 1);
  out[0] = 1;
  p.forEach((own, i) => {
    for (let k = i + 1; k > 0; k--) out[k] = out[k]! * (1 - own) + out[k - 1]! * own;
    out[0]! *= 1 - own;
  });
  return out;
}

/**
 * Takes one item out of {@link scoreDistribution}: the recursion backwards, from the end at which errors shrink.
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

interface Cell {
  readonly expected: number;
  readonly models: number;
  readonly right: number;
}

function test(cells: readonly Cell[]): ItemFitTest | null {
  const groups: { models: number; right: number; expected: number }[] = [];
  let open = { models: 0, right: 0, expected: 0 };
  for (const { models, right, expected } of cells) {
    open = { models: open.models + models, right: open.right + right, expected: open.expected + models * expected };
    if (Math.min(open.expected, open.models - open.expected) < LEAST_EXPECTED) continue;
    groups.push(open);
    open = { models: 0, right: 0, expected: 0 };
  }
  const last = groups.at(-1);
  if (!last || groups.length < 3) return null;
  last.models += open.models;
  last.right += open.right;
  last.expected += open.expected;
  const statistic = groups.reduce((sum, { models, right, expected }) => {
    const share = expected / models;
    return sum + (right - expected) ** 2 / (models * share * (1 - share));
  }, 0);
  const degrees = groups.length - 2;
  return { statistic, degrees, p: chiSquareTail(statistic, degrees) };
}

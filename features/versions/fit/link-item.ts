import { mapAbility } from "anchoreval/internal/core/ability/map";
import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { type FloatArray, itemBank } from "anchoreval/internal/core/irt/item-bank";
import { cholesky, choleskyInverse, quadraticForm } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { linearPrediction, predictiveVariance } from "anchoreval/internal/core/numeric/linear-mean";
import { eachScore, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { onAxes, principalAxes, spectralRidge } from "../../../offline-trainer/src/numeric/principal-axes.ts";
import { denseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";

interface LinkedItem {
  /** Discriminations, D. */
  readonly a: Float64Array;
  readonly b: number;
  /** Of (a, b), (D+1)² row-major. */
  readonly covariance: Float64Array;
}

/**
 * Estimates an item from the answers of models whose abilities are known: the mode of (a, b) in logit P = a·θ − b. This is
 * {@link mapAbility} with the roles of items and models exchanged: discriminations (θ, −1), intercepts 0. Without answers
 * the estimate is the prior's mode.
 * @param theta - abilities, M×D row-major @param answers - of the M models, in [0,1]; NaN where missing
 * @param prior - of (a, b)
 * @see Stocking (1988), ETS RR-88-28, method A: online calibration with known abilities
 */
export function linkItem(theta: Float64Array, answers: Float64Array, prior: AbilityPrior): LinkedItem {
  const models = answers.length;
  const dims = theta.length / models;
  const abilities = Float64Array.from({ length: models * (dims + 1) }, (_, at) => {
    const [m, d] = [Math.floor(at / (dims + 1)), at % (dims + 1)];
    return d < dims ? theta[m * dims + d]! : -1;
  });
  const answered = Array.from(answers.keys()).filter((m) => !Number.isNaN(answers[m]!));
  const scored = { items: answered, scores: answered.map((m) => answers[m]!) };
  const { theta: parameters, covariance } = mapAbility(itemBank(abilities, new Float64Array(models)), scored, prior);
  return { a: parameters.slice(0, dims), b: parameters[dims]!, covariance };
}

/** Items of one scenario, by position; those with known parameters come first. */
interface DescribedItems {
  /** Parameters (a, b) of the fixed items, F×(D+1) row-major. */
  readonly parameters: Float64Array;
  readonly dims: number;
  /** Of all items, the fixed ones first. */
  readonly subscenarios: readonly (string | undefined)[];
  /** Coordinates of all items' texts, N×C row-major; null where not all have one. */
  readonly coordinates: Float64Array | null;
}

/** Weight, in items, of the scenario's mean in a subscenario's: shrinks the means of few items. */
const PRIOR_ITEMS = 5;
/** Share of each variance that is added, so that the covariance of few items is definite. */
const JITTER = 1e-3;
type Group = string | undefined;
/** Stands for all subscenarios together. */
const WHOLE = Symbol("whole scenario");
const AXES = 100;

/**
 * Priors of items before models answer them: normal about their subscenario's mean, with the fixed items' covariance about
 * theirs; where there are texts, about the prediction of a ridge regression within subscenarios, with a smaller covariance.
 * @returns the prior of (a, b) of an item, by its position among all
 */
export function itemPriors(items: DescribedItems, random: RandomSource): (item: number) => AbilityPrior {
  const { parameters, dims, subscenarios, coordinates } = items;
  const width = dims + 1;
  const count = parameters.length / width;
  const centers = groupMeans(parameters, width, subscenarios);
  const about = (item: number, p: number): number => (centers.get(subscenarios[item]) ?? centers.get(WHOLE)!)[p]!;
  const deviations = Array.from({ length: width }, (_, p) =>
    Float64Array.from({ length: count }, (_, i) => parameters[i * width + p]! - about(i, p)),
  );
  const covariance = Float64Array.from({ length: width * width }, (_, at) => {
    const [left, right] = [deviations[Math.floor(at / width)]!, deviations[at % width]!];
    return left.reduce((sum, value, i) => sum + value * right[i]!, 0) / count;
  });
  for (let p = 0; p < width; p++) covariance[p * (width + 1)]! += JITTER * covariance[p * (width + 1)]! + 1e-6;
  if (coordinates === null)
    return (item) => ({
      mean: Float64Array.from({ length: width }, (_, p) => about(item, p)),
      precision: inverse(covariance, width),
    });

  const all = subscenarios.length;
  const texts = coordinates.length / all;
  const middles = groupMeans(coordinates.subarray(0, count * texts), texts, subscenarios);
  const within = coordinates.map((value, at) => {
    const middle = middles.get(subscenarios[Math.floor(at / texts)]) ?? middles.get(WHOLE)!;
    return value - middle[at % texts]!;
  });
  const axes = principalAxes(denseRows(within.subarray(0, count * texts), count, texts), AXES, random);
  const ridges = deviations.map((deviation) => spectralRidge(axes, deviation));
  const places = onAxes(denseRows(within, all, texts), axes);
  return (item) => {
    const at = places.subarray(item * axes.rank, (item + 1) * axes.rank);
    const shrink = ridges.map((ridge, p) => Math.sqrt(predictiveVariance(ridge, at) / covariance[p * (width + 1)]!));
    const shrunk = covariance.map((value, k) => value * shrink[Math.floor(k / width)]! * shrink[k % width]!);
    return {
      mean: Float64Array.from(ridges, (ridge, p) => about(item, p) + linearPrediction(ridge, at)),
      precision: inverse(shrunk, width),
    };
  };
}

/**
 * Mean rows by group, each shrunk towards the mean of all ({@link WHOLE}).
 * @param rows - n×width row-major @param groups - of the rows, and of others after them
 */
function groupMeans(
  rows: Float64Array,
  width: number,
  groups: readonly Group[],
): Map<Group | typeof WHOLE, Float64Array> {
  const count = rows.length / width;
  const sums = new Map<Group, { readonly sum: Float64Array; items: number }>();
  const whole = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    const group = sums.get(groups[i]) ?? { sum: new Float64Array(width), items: 0 };
    sums.set(groups[i], group);
    group.items++;
    for (let p = 0; p < width; p++) {
      group.sum[p]! += rows[i * width + p]!;
      whole[p]! += rows[i * width + p]! / count;
    }
  }
  const drawn = Array.from(sums, ([id, { sum, items }]) => {
    const mean = sum.map((value, p) => (value + PRIOR_ITEMS * whole[p]!) / (items + PRIOR_ITEMS));
    return [id, mean] as const;
  });
  return new Map<Group | typeof WHOLE, Float64Array>([...drawn, [WHOLE, whole]]);
}

function inverse(matrix: Float64Array, n: number): Float64Array {
  return choleskyInverse(cholesky(matrix, n)!, n);
}

/**
 * Moderation of an item's uncertain parameters: the scale that shrinks chances towards one half, and the variance of its mean
 * chance over the models. v = xᵀCx for x = (θ, −1).
 */
export function moderation({ a, b, covariance }: LinkedItem, theta: Float64Array, isMeasured: Uint8Array) {
  const dims = a.length;
  const width = dims + 1;
  let [models, mean, spread] = [0, 0, 0];
  for (let m = 0; m < isMeasured.length; m++) {
    if (!isMeasured[m]) continue;
    models++;
    const x = Float64Array.from({ length: width }, (_, d) => (d < dims ? theta[m * dims + d]! : -1));
    const variance = quadraticForm(x, 0, covariance, width);
    const p = chance(x.subarray(0, dims), a, b);
    mean += variance;
    spread += p * (1 - p) * Math.sqrt(variance); // summed over models before squaring: errors of one item are common to them
  }
  return { scale: 1 / Math.sqrt(1 + (Math.PI / 8) * (mean / models)), spread: (spread / models) ** 2 };
}

/** P = σ(a·θ − b). */
export function chance(theta: FloatArray, a: FloatArray, b: number): number {
  let z = -b;
  for (let d = 0; d < a.length; d++) z += a[d]! * theta[d]!;
  return 1 / (1 + Math.exp(-z));
}

/** Parameters drawn from an item's posterior, N((a, b), C). */
export function drawnParameters({ a, b, covariance }: LinkedItem, random: RandomSource) {
  const width = a.length + 1;
  const l = cholesky(covariance, width)!;
  const normal = Float64Array.from({ length: width }, () => random.normal());
  const shift = (row: number): number => {
    let sum = 0;
    for (let c = 0; c <= row; c++) sum += l[row * width + c]! * normal[c]!;
    return sum;
  };
  return { a: a.map((slope, d) => slope + shift(d)), b: b + shift(a.length) };
}

/**
 * Scores of a scenario by their probabilities, from both sides of its threshold: the means of those given, 0 and 1 of
 * binary scores.
 * @param threshold - null where chances are expected scores themselves
 */
export function scoreSides(matrix: ResponseMatrix, threshold: number | null) {
  const [sum, seen] = [new Float64Array(2), new Float64Array(2)];
  eachScore(matrix, [...matrix.subjects.keys()], (score) => {
    const side = Number(score > (threshold ?? 0.5));
    sum[side]! += score;
    seen[side]! += 1;
  });
  const [below, above] = [0, 1].map((side) => (seen[side]! > 0 ? sum[side]! / seen[side]! : side)) as [number, number];
  const share = (p: number): number => (threshold === null ? (p - below) / (above - below) : p);
  return {
    expected: (p: number): number => (threshold === null ? p : below + p * (above - below)),
    /** A score from either side of the threshold, with that expectation. */
    draw: (p: number, random: RandomSource): number => (random.next() < share(p) ? above : below),
  };
}

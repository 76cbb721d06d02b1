import { addGram, cholesky, choleskyInverse, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { Calibration } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import type { ScenarioSlice } from "../../../offline-trainer/src/matrix/scenarios.ts";
import type { Scales } from "../../../offline-trainer/src/calibrate/types.ts";
import { symmetricEigen } from "../../../offline-trainer/src/numeric/eigen.ts";

/** Abilities and curves that were fitted to some answers. */
type FittedCurves = Pick<Calibration, "dims" | "theta" | "a" | "b">;

/** Coded answers to a scenario, item by item, beside the calibration that was fitted to them. */
export interface FittedAnswers {
  /** Models M: rows of the calibration. */
  readonly models: number;
  /** Items N. */
  readonly items: number;
  /** +1 right, −1 wrong, 0 missing: `signs[i·M + m]`. */
  readonly signs: Int8Array;
  readonly calibration: FittedCurves;
  /** x = (θ, −1) of every model, M×(D+1): the derivatives of the logit by the item's (a, b). */
  readonly design: Float64Array;
}

/** Side of the square of cells transposed at a time, so that reads and writes both stay in the cache. */
const TILE = 64;

/** Turns the coded responses of a calibration, model by model, to items. */
export function fittedAnswers({ subjects, items, signs }: CodedResponses, calibration: FittedCurves): FittedAnswers {
  const turned = new Int8Array(signs.length);
  for (let top = 0; top < subjects; top += TILE)
    for (let left = 0; left < items; left += TILE) {
      const bottom = Math.min(subjects, top + TILE);
      const right = Math.min(items, left + TILE);
      for (let m = top; m < bottom; m++)
        for (let i = left; i < right; i++) turned[i * subjects + m] = signs[m * items + i]!;
    }
  const { theta, dims } = calibration;
  const design = new Float64Array(subjects * (dims + 1)).fill(-1);
  for (let m = 0; m < subjects; m++) design.set(theta.subarray(m * dims, (m + 1) * dims), m * (dims + 1));
  return { models: subjects, items, signs: turned, calibration, design };
}

/** Probability P = σ(a·θ − b) that a model gets an item right. */
function probability({ theta, a, b, dims }: FittedCurves, item: number, model: number): number {
  let z = -b[item]!;
  for (let d = 0; d < dims; d++) z += a[item * dims + d]! * theta[model * dims + d]!;
  return sigmoid(z);
}

/** Every model's {@link probability}. @param out - filled and returned, length M */
export function probabilities({ models, calibration }: FittedAnswers, item: number, out: Float64Array): Float64Array {
  for (let m = 0; m < models; m++) out[m] = probability(calibration, item, m);
  return out;
}

/** Items between checks of the signal. */
export const ITEMS_AT_A_TIME = 256;

/** One item at its fitted parameters, model by model: the basis of every statistic of its fit. */
export type ItemAtFit = ReturnType<typeof itemAtFit>;

/** @param covariances - of {@link abilityCovariances} */
export function itemAtFit(answers: FittedAnswers, item: number, covariances: Float64Array) {
  const { models, calibration, design } = answers;
  const { a, dims } = calibration;
  const signs = answers.signs.subarray(item * models, (item + 1) * models);
  const p = probabilities(answers, item, new Float64Array(models));
  /** PQ, 0 where the answer is missing. */
  const weights = p.map((chance, m) => (signs[m] === 0 ? 0 : chance * (1 - chance)));
  return {
    signs,
    p,
    weights,
    /**
     * Leverage of each model's abilities on its own answer, h = PQ·aᵀ·Cov(θ)·a: the share of the variance by which the
     * residual is smaller than the error, since the abilities follow the answer. 0 where the answer is missing.
     */
    leverage: leverages(weights, (m) => symmetricForm(covariances, m * dims * dims, a, item * dims, dims)),
    /** Σ_m PQ·x·xᵀ on (a_1 … a_D, b), abilities taken as known; row-major. */
    information: gram(design, weights, dims + 1),
  };
}

/** Σ_m w_m·x_m·x_mᵀ, row-major. @param rows - x, row by row of `size` numbers */
function gram(rows: Float64Array, weights: Float64Array, size: number): Float64Array {
  const out = new Float64Array(size * size);
  addGram(out, size, rows, weights, weights.length);
  for (let r = 0; r < size; r++) for (let c = 0; c < r; c++) out[c * size + r] = out[r * size + c]!;
  return out;
}

/**
 * Posterior covariance of every model's abilities under the prior N(0, I), items taken as known:
 * (I + Σ_i P·Q·a·aᵀ)⁻¹ over the items that it answered, by the expected information.
 * @returns M×D×D, row-major
 * @see Segall (1996), Psychometrika 61, 331–354
 */
export function abilityCovariances({ models, items, signs, calibration }: FittedAnswers): Float64Array {
  const { a, dims } = calibration;
  const out = new Float64Array(models * dims * dims);
  const weights = new Float64Array(items);
  for (let m = 0; m < models; m++) {
    for (let i = 0; i < items; i++) {
      const p = signs[i * models + m] === 0 ? 0 : probability(calibration, i, m);
      weights[i] = p * (1 - p);
    }
    const precision = new Float64Array(dims * dims);
    for (let d = 0; d < dims; d++) precision[d * (dims + 1)] = 1;
    addGram(precision, dims, a, weights, items);
    out.set(choleskyInverse(cholesky(precision, dims)!, dims), m * dims * dims);
  }
  return out;
}

/** Largest leverage counted: an answer that determines its own ability leaves no residual. */
export const MOST_LEVERAGE = 0.9;

/** Leverages PQ·form, at most {@link MOST_LEVERAGE}. @param weights - PQ of every model */
function leverages(weights: Float64Array, formOf: (model: number) => number): Float64Array {
  return weights.map((weight, m) => Math.min(MOST_LEVERAGE, weight * formOf(m)));
}

/** xᵀ·A·x of a symmetric matrix that begins at `at` of the matrices, and a vector that begins at `begin` of x. */
function symmetricForm(matrices: Float64Array, at: number, x: Float64Array, begin: number, size: number): number {
  let form = 0;
  for (let r = 0; r < size; r++) {
    let row = 0;
    for (let c = 0; c < r; c++) row += matrices[at + r * size + c]! * x[begin + c]!;
    form += (2 * row + matrices[at + r * size + r]! * x[begin + r]!) * x[begin + r]!;
  }
  return form;
}

/**
 * Each model's general ability in a scenario as one number: the logit of the score that its abilities predict over all items,
 * answered or not, standardised over models.
 * @returns M numbers with mean 0 and standard deviation 1; all 0 where the models are alike
 */
export function generalAbility(answers: FittedAnswers, { begin, count, weights }: ScenarioSlice): Float64Array {
  const { models } = answers;
  const score = new Float64Array(models);
  const p = new Float64Array(models);
  for (let i = 0; i < count; i++) {
    probabilities(answers, begin + i, p);
    for (let m = 0; m < models; m++) score[m]! += weights[i]! * p[m]!;
  }
  const logits = score.map((share) => logit(Math.min(1 - 1e-12, Math.max(1e-12, share))));
  const mean = logits.reduce((sum, value) => sum + value / models, 0);
  const spread = Math.sqrt(logits.reduce((sum, value) => sum + (value - mean) ** 2 / models, 0));
  return logits.map((value) => (spread > 1e-9 ? (value - mean) / spread : 0));
}

/**
 * Slope of an item's logit on the general ability x, by regression over models, and its standard error: v·a with
 * v = Σ_m (x − x̄)·θ / Σ_m (x − x̄)², so that in several dimensions too one number says whether stronger models get the
 * item more often.
 * @param loading - v, of {@link generalLoading}
 * @param covariance - of the item's parameters ({@link itemCovariance})
 */
export function generalSlope(
  { calibration: { a, dims } }: FittedAnswers,
  item: number,
  loading: Float64Array,
  covariance: Float64Array,
): { slope: number; standardError: number } {
  let [slope, variance] = [0, 0];
  for (let r = 0; r < dims; r++) {
    slope += loading[r]! * a[item * dims + r]!;
    for (let c = 0; c < dims; c++) variance += loading[r]! * covariance[r * (dims + 1) + c]! * loading[c]!;
  }
  return { slope, standardError: Math.sqrt(variance) };
}

/** v of {@link generalSlope}: the slopes of the abilities on the general one, D numbers. */
export function generalLoading({ models, calibration }: FittedAnswers, general: Float64Array): Float64Array {
  const { theta, dims } = calibration;
  const squares = general.reduce((sum, ability) => sum + ability * ability, 0);
  const out = new Float64Array(dims);
  if (squares === 0) return out;
  for (let m = 0; m < models; m++)
    for (let d = 0; d < dims; d++) out[d]! += (general[m]! * theta[m * dims + d]!) / squares;
  return out;
}

/**
 * Laplace's covariance of an item's parameters (a_1 … a_D, b): A⁻¹ with A = information + Λ, the inverse of the item's
 * block of the penalised information, abilities taken as known; and what their uncertainty adds to first order,
 * A⁻¹·(Σ_m PQ·h·x·xᵀ)·A⁻¹ with h their leverage. The uncertainty shared by all items, of the scale's origin, unit
 * and axes, is left out.
 * @param precision - Λ of the parameters' prior ({@link parameterPrecision})
 * @returns (D+1)×(D+1), row-major
 * @see Tierney & Kadane (1986), JASA 81, 82–86; Murphy & Topel (1985), Journal of Business & Economic Statistics 3, 370–379
 */
export function itemCovariance(
  { calibration, design }: FittedAnswers,
  { p, leverage, information }: ItemAtFit,
  precision: Float64Array,
): Float64Array {
  const size = calibration.dims + 1;
  const penalised = information.map((value, k) => value + precision[k]!);
  const inverse = choleskyInverse(cholesky(penalised, size)!, size);
  const shares = leverage.map((value, m) => value * p[m]! * (1 - p[m]!));
  const carried = gram(design, shares, size);
  return addProduct(inverse.slice(), inverse, addProduct(new Float64Array(size * size), carried, inverse));
}

/** Adds left·right, all row-major squares. @returns the sum */
function addProduct(sum: Float64Array, left: Float64Array, right: Float64Array): Float64Array {
  const size = Math.sqrt(sum.length);
  for (let r = 0; r < size; r++)
    for (let c = 0; c < size; c++)
      for (let k = 0; k < size; k++) sum[r * size + c]! += left[r * size + k]! * right[k * size + c]!;
  return sum;
}

/** Λ of (a, b). @param scales - of the calibration */
export function parameterPrecision(answers: FittedAnswers, { aVariance, bVariance }: Scales): Float64Array {
  const discriminations = discriminationPrecision(answers, aVariance);
  const dims = aVariance.length;
  const size = dims + 1;
  const out = new Float64Array(size * size);
  for (let r = 0; r < dims; r++) out.set(discriminations.subarray(r * dims, (r + 1) * dims), r * size);
  out[size * size - 1] = 1 / bVariance;
  return out;
}

/**
 * Leverage of an item's own parameters on each model's answer, PQ·xᵀ·Cov·x; 0 where the answer is missing.
 * @param covariance - of {@link itemCovariance}
 */
export function itemLeverage(
  { calibration, design }: FittedAnswers,
  { weights }: ItemAtFit,
  covariance: Float64Array,
): Float64Array {
  const size = calibration.dims + 1;
  return leverages(weights, (m) => symmetricForm(covariance, 0, design, m * size, size));
}

/** Weight of the mean precision relative to the moments, which stabilises the estimate from few items. */
const RIDGE = 1e-6;

/**
 * Precision matrix Λ of the prior under which discriminations were fitted, in the axes that they have now. A calibration
 * is rotated after it has ended, and its scales are those of the axes before. At its optimum every item has
 * Σ_m (y − P)·θ = Λ·(a − μ), so that Λ is the regression of the left on the right over items.
 * @param aVariance - learned, of every dimension
 * @returns D×D, row-major, symmetric; for one dimension 1/σ_a² as learned
 */
export function discriminationPrecision(answers: FittedAnswers, aVariance: Float64Array): Float64Array {
  const { models, items, signs, calibration } = answers;
  const { theta, a, dims } = calibration;
  const mean = aVariance.reduce((sum, variance) => sum + 1 / variance, 0) / dims;
  if (dims === 1) return Float64Array.of(mean);
  // Unknowns of each row of Λ: D slopes on a, and the intercept −Λμ.
  const width = dims + 1;
  const moments = new Float64Array(width * width);
  const products = Array.from({ length: dims }, () => new Float64Array(width));
  const [p, slope] = [new Float64Array(models), new Float64Array(dims)];
  const x = new Float64Array(width).fill(1);
  for (let i = 0; i < items; i++) {
    probabilities(answers, i, p);
    slope.fill(0);
    for (let m = 0; m < models; m++) {
      const sign = signs[i * models + m]!;
      if (sign === 0) continue;
      const residual = Number(sign > 0) - p[m]!;
      for (let d = 0; d < dims; d++) slope[d]! += residual * theta[m * dims + d]!;
    }
    x.set(a.subarray(i * dims, (i + 1) * dims));
    addGram(moments, width, x, Float64Array.of(1), 1);
    products.forEach((row, d) => x.forEach((value, c) => (row[c]! += slope[d]! * value)));
  }
  let trace = 0;
  for (let d = 0; d < width; d++) trace += moments[d * width + d]!;
  const ridge = (RIDGE * trace) / width;
  for (let d = 0; d < width; d++) moments[d * width + d]! += ridge;
  products.forEach((row, d) => (row[d]! += ridge * mean));
  const factor = cholesky(moments, width)!;
  const rows = products.map((row) => choleskySolve(factor, width, row));
  const symmetric = rows.flatMap((row, r) => rows.map((other, c) => (row[c]! + other[r]!) / 2));
  return withinScales(Float64Array.from(symmetric), aVariance);
}

/** A rotation keeps eigenvalues: those of Λ are the learned precisions, and lie between the least and the largest. */
function withinScales(matrix: Float64Array, variances: Float64Array): Float64Array {
  const dims = variances.length;
  const [least, most] = [1 / Math.max(...variances), 1 / Math.min(...variances)];
  const { values, vectors } = symmetricEigen(matrix, dims);
  const out = new Float64Array(dims * dims);
  values.forEach((value, k) => {
    const kept = Math.min(most, Math.max(least, value));
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++) out[r * dims + c]! += kept * vectors[k * dims + r]! * vectors[k * dims + c]!;
  });
  return out;
}

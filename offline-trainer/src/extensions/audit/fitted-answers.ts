import { cholesky, choleskyInverse } from "anchoreval/internal/core/numeric/dense";
import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import type { Calibration } from "../../calibrate/calibrate.ts";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import type { ScenarioSlice } from "../../matrix/scenarios.ts";

/** Abilities and curves that were fitted to some answers. */
type FittedCurves = Pick<Calibration, "dims" | "theta" | "a" | "b">;

/** Coded answers of a bank, item by item, beside the calibration that was fitted to them. */
export interface FittedAnswers<Curves extends FittedCurves = FittedCurves> {
  /** Models M: rows of the calibration. */
  readonly models: number;
  /** Items N. */
  readonly items: number;
  /** +1 right, −1 wrong, 0 missing: `signs[i·M + m]`. */
  readonly signs: Int8Array;
  readonly calibration: Curves;
}

/** Side of the square of cells transposed at a time, so that reads and writes both stay in the cache. */
const TILE = 64;

/** Turns the coded responses of a calibration, model by model, to items. */
export function fittedAnswers<Curves extends FittedCurves>(
  { subjects, items, signs }: CodedResponses,
  calibration: Curves,
): FittedAnswers<Curves> {
  const turned = new Int8Array(signs.length);
  for (let top = 0; top < subjects; top += TILE)
    for (let left = 0; left < items; left += TILE) {
      const bottom = Math.min(subjects, top + TILE);
      const right = Math.min(items, left + TILE);
      for (let m = top; m < bottom; m++)
        for (let i = left; i < right; i++) turned[i * subjects + m] = signs[m * items + i]!;
    }
  return { models: subjects, items, signs: turned, calibration };
}

/**
 * Probability P = σ(a·θ − b) that each model gets an item right.
 * @param out - filled and returned, length M
 */
export function probabilities({ models, calibration }: FittedAnswers, item: number, out: Float64Array): Float64Array {
  const { theta, a, b, dims } = calibration;
  for (let m = 0; m < models; m++) {
    let z = -b[item]!;
    for (let d = 0; d < dims; d++) z += a[item * dims + d]! * theta[m * dims + d]!;
    out[m] = sigmoid(z);
  }
  return out;
}

/** Items between checks of the signal. */
export const ITEMS_AT_A_TIME = 256;

/** One item at its fitted parameters, model by model: the basis of every statistic of its fit. */
export interface ItemAtFit {
  readonly item: number;
  /** +1 right, −1 wrong, 0 missing, length M. */
  readonly signs: Int8Array;
  /** P = σ(a·θ − b), length M. */
  readonly p: Float64Array;
  /** Leverage of each model's abilities on its own answer ({@link abilityLeverage}), length M. */
  readonly leverage: Float64Array;
  /** Information Σ_m PQ·x·xᵀ on (a_1 … a_D, b), with x = (θ, −1), abilities taken as known; row-major. */
  readonly information: Float64Array;
}

/** @param covariances - of {@link abilityCovariances} */
export function itemAtFit(answers: FittedAnswers, item: number, covariances: Float64Array): ItemAtFit {
  const { models, calibration } = answers;
  const { theta, dims } = calibration;
  const signs = answers.signs.subarray(item * models, (item + 1) * models);
  const p = probabilities(answers, item, new Float64Array(models));
  const size = dims + 1;
  const information = new Float64Array(size * size);
  const x = new Float64Array(size).fill(-1);
  for (let m = 0; m < models; m++) {
    if (signs[m] === 0) continue;
    const weight = p[m]! * (1 - p[m]!);
    for (let d = 0; d < dims; d++) x[d] = theta[m * dims + d]!;
    for (let r = 0; r < size; r++) {
      const product = weight * x[r]!;
      for (let c = 0, k = r * size; c <= r; c++, k++) information[k]! += product * x[c]!;
    }
  }
  for (let r = 0; r < size; r++) for (let c = 0; c < r; c++) information[c * size + r] = information[r * size + c]!;
  return { item, signs, p, leverage: abilityLeverage(answers, item, p, covariances), information };
}

/**
 * Posterior covariance of every model's abilities under the prior N(0, I), items taken as known:
 * (I + Σ_i P·Q·a·aᵀ)⁻¹ over the items that it answered, by the expected information.
 * @returns M×D×D, row-major
 * @see Segall (1996), Psychometrika 61, 331–354
 */
export function abilityCovariances(answers: FittedAnswers): Float64Array {
  const { models, items, signs, calibration } = answers;
  const { a, dims } = calibration;
  const size = dims * dims;
  const precision = new Float64Array(models * size);
  for (let m = 0; m < models; m++) for (let d = 0; d < dims; d++) precision[m * size + d * dims + d] = 1;
  const p = new Float64Array(models);
  for (let i = 0; i < items; i++) {
    probabilities(answers, i, p);
    const row = a.subarray(i * dims, (i + 1) * dims);
    for (let m = 0; m < models; m++) {
      if (signs[i * models + m] === 0) continue;
      const weight = p[m]! * (1 - p[m]!);
      for (let r = 0; r < dims; r++) {
        const product = weight * row[r]!;
        for (let c = 0, k = m * size + r * dims; c <= r; c++, k++) precision[k]! += product * row[c]!;
      }
    }
  }
  const out = new Float64Array(models * size);
  for (let m = 0; m < models; m++)
    out.set(choleskyInverse(cholesky(precision.subarray(m * size, (m + 1) * size), dims)!, dims), m * size);
  return out;
}

/** Largest leverage counted: an answer that determines its own ability leaves no residual. */
export const MOST_LEVERAGE = 0.9;

/**
 * Leverage of each model's abilities on its own answer to an item, h = PQ·aᵀ·Cov(θ)·a: the share of the variance by which
 * the residual is smaller than the error, since the abilities follow the answer. 0 where the answer is missing.
 * @param p - probabilities of the item, length M
 * @param covariances - of {@link abilityCovariances}
 */
function abilityLeverage(
  { models, signs, calibration }: FittedAnswers,
  item: number,
  p: Float64Array,
  covariances: Float64Array,
): Float64Array {
  const { a, dims } = calibration;
  const out = new Float64Array(models);
  for (let m = 0; m < models; m++) {
    if (signs[item * models + m] === 0) continue;
    let form = 0;
    for (let r = 0; r < dims; r++) {
      const at = (m * dims + r) * dims;
      let row = 0;
      for (let c = 0; c < r; c++) row += covariances[at + c]! * a[item * dims + c]!;
      form += (2 * row + covariances[at + r]! * a[item * dims + r]!) * a[item * dims + r]!;
    }
    out[m] = Math.min(MOST_LEVERAGE, p[m]! * (1 - p[m]!) * form);
  }
  return out;
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
  const logits = score.map((own) => logit(Math.min(1 - 1e-12, Math.max(1e-12, own))));
  const mean = logits.reduce((sum, own) => sum + own / models, 0);
  const spread = Math.sqrt(logits.reduce((sum, own) => sum + (own - mean) ** 2 / models, 0));
  return logits.map((own) => (spread > 1e-9 ? (own - mean) / spread : 0));
}

/** Slope of an item's logit on general ability, by regression over models, and its standard error. */
export interface GeneralSlope {
  readonly slope: number;
  readonly standardError: number;
}

/**
 * Slope of an item's logit on the general ability x: v·a with v = Σ_m (x − x̄)·θ / Σ_m (x − x̄)², so that in several
 * dimensions too one number says whether stronger models get the item more often.
 * @param covariance - of the item's parameters ({@link itemCovariance})
 */
export function generalSlope(
  { calibration }: FittedAnswers,
  item: number,
  loading: Float64Array,
  covariance: Float64Array,
): GeneralSlope {
  const { a, dims } = calibration;
  let slope = 0;
  let variance = 0;
  for (let r = 0; r < dims; r++) {
    slope += loading[r]! * a[item * dims + r]!;
    for (let c = 0; c < dims; c++) variance += loading[r]! * covariance[r * (dims + 1) + c]! * loading[c]!;
  }
  return { slope, standardError: Math.sqrt(variance) };
}

/** v of {@link generalSlope}: the slopes of the abilities on the general one, D numbers. */
export function generalLoading({ models, calibration }: FittedAnswers, general: Float64Array): Float64Array {
  const { theta, dims } = calibration;
  const squares = general.reduce((sum, own) => sum + own * own, 0);
  const out = new Float64Array(dims);
  if (squares === 0) return out;
  for (let m = 0; m < models; m++)
    for (let d = 0; d < dims; d++) out[d]! += (general[m]! * theta[m * dims + d]!) / squares;
  return out;
}

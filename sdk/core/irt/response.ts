import { sigmoid, sigmoids, softplus } from "../numeric/functions.ts";
import type { FloatArray, ItemBank } from "./item-bank.ts";

/**
 * Logit of one item, z = Σ_d a_d·θ_d − b.
 * @param theta - ability, length D, on the bank's scale
 * @example itemLogit(Float64Array.of(1), bank, 0) // a − b for a one-dimensional bank
 */
export function itemLogit(theta: FloatArray, bank: ItemBank, item: number): number {
  const { dims, a } = bank;
  let z = -bank.b[item]!;
  const start = item * dims;
  for (let d = 0; d < dims; d++) z += a[start + d]! * theta[d]!;
  return z;
}

/**
 * Probability of a right answer, P = lower + (upper − lower)·σ(z) (Reckase 2009, Multidimensional IRT, ch. 4).
 * @returns a probability in [lower, upper]; non-decreasing in θ_d where a_d > 0; NaN where an input is NaN.
 * @example itemResponse(Float64Array.of(0), bank, 0) // 0.5 for a 2PL item with b = 0
 */
export function itemResponse(theta: FloatArray, bank: ItemBank, item: number): number {
  return withAsymptotes(sigmoid(itemLogit(theta, bank, item)), bank, item);
}

/** lower + (upper − lower)·s of one item. */
export function withAsymptotes(s: number, bank: ItemBank, item: number): number {
  if (bank.lower === null && bank.upper === null) return s;
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  return lower + (upper - lower) * s;
}

/**
 * {@link itemLogit} of every item of the bank, or of some in a row, four at a time: an addition needn't wait for the one
 * before.
 * @param out - filled and returned: logits of the items `begin`, `begin` + 1, …, as many as it and the bank have
 */
export function itemLogits(
  theta: FloatArray,
  bank: ItemBank,
  out: Float64Array = new Float64Array(bank.count),
  begin = 0,
): Float64Array {
  const { dims, a, b } = bank;
  const end = Math.min(bank.count, begin + out.length);
  let i = begin;
  for (; i + 3 < end; i += 4) {
    let z1 = -b[i]!;
    let z2 = -b[i + 1]!;
    let z3 = -b[i + 2]!;
    let z4 = -b[i + 3]!;
    const start = i * dims;
    for (let d = 0; d < dims; d++) {
      const ability = theta[d]!;
      z1 += a[start + d]! * ability;
      z2 += a[start + dims + d]! * ability;
      z3 += a[start + 2 * dims + d]! * ability;
      z4 += a[start + 3 * dims + d]! * ability;
    }
    const at = i - begin;
    out[at] = z1;
    out[at + 1] = z2;
    out[at + 2] = z3;
    out[at + 3] = z4;
  }
  for (; i < end; i++) out[i - begin] = itemLogit(theta, bank, i);
  return out;
}

/**
 * {@link itemResponse} of every item of the bank, or of some in a row.
 * @param out - filled and returned: of the items `begin`, `begin` + 1, …, as many as it and the bank have
 */
export function itemResponses(
  theta: FloatArray,
  bank: ItemBank,
  out: Float64Array = new Float64Array(bank.count),
  begin = 0,
): Float64Array {
  const size = Math.min(bank.count - begin, out.length);
  sigmoids(itemLogits(theta, bank, out, begin), size);
  if (bank.lower === null && bank.upper === null) return out;
  for (let i = 0; i < size; i++) out[i] = withAsymptotes(out[i]!, bank, begin + i);
  return out;
}

/** The log-likelihood of one answer and its derivatives in the logit z of its item. */
export interface ResponseDerivatives {
  /** log P(y | z) = y·log P + (1−y)·log(1−P); for 0 < y < 1 the soft-label likelihood. */
  logLikelihood: number;
  /** d logLikelihood / dz. */
  slope: number;
  /** Expected information on z, P′(z)²/(P·Q). */
  information: number;
}

/**
 * Log-likelihood of an answer and its derivatives in the logit, in log space, for up to four parameters.
 *
 * With s = σ(z), P = l + (u−l)s, P′ = (u−l)s(1−s): slope = (y−P)·P′/(PQ), information = P′²/(PQ).
 * Exact in the tails: neither P nor Q is formed as 1 minus the other.
 * @param y - score in [0,1]
 * @param bank - supplies the asymptotes
 * @param out - filled and returned, so that hot loops allocate nothing
 * @see Magis (2013), Applied Psychological Measurement 37, 304–315
 */
export function responseDerivatives(
  z: number,
  y: number,
  bank: ItemBank,
  item: number,
  out: ResponseDerivatives,
): ResponseDerivatives {
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  const e = Math.exp(-Math.abs(z));
  const near = 1 / (1 + e);
  const far = e / (1 + e);
  const s = z < 0 ? far : near;
  const t = z < 0 ? near : far;
  if (lower === 0 && upper === 1) {
    out.logLikelihood = z < 0 ? y * z - Math.log1p(e) : (y - 1) * z - Math.log1p(e);
    out.slope = y - s;
    out.information = s * t;
    return out;
  }
  const range = upper - lower;
  const p = lower + range * s;
  const q = 1 - upper + range * t;
  const logP = lower === 0 ? Math.log(upper) - softplus(-z) : Math.log(p);
  const logQ = upper === 1 ? Math.log1p(-lower) - softplus(z) : Math.log(q);
  // P′/(PQ), with the vanishing factor cancelled where an asymptote is trivial.
  const ratio = upper === 1 ? s / p : lower === 0 ? t / q : (range * s * t) / (p * q);
  out.logLikelihood = (y === 0 ? 0 : y * logP) + (y === 1 ? 0 : (1 - y) * logQ);
  out.slope = (y * q - (1 - y) * p) * ratio;
  out.information = range * s * t * ratio;
  return out;
}

/**
 * Observed curvature −d² log P(y | z) / dz² of an answer. For the 2PL it is the information; with asymptotes it depends
 * on the answer and may be negative (a right answer far below the item is a guess).
 */
export function observedCurvature(z: number, y: number, bank: ItemBank, item: number): number {
  const s = sigmoid(z);
  const t = sigmoid(-z);
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  const range = upper - lower;
  const p = lower + range * s;
  const q = 1 - upper + range * t;
  const first = range * s * t;
  const second = first * (t - s);
  // With a trivial asymptote the terms cancel to s·t, whatever the other asymptote is.
  const right = y === 0 ? 0 : lower === 0 ? s * t : (first / p) ** 2 - second / p;
  const wrong = y === 1 ? 0 : upper === 1 ? s * t : (first / q) ** 2 + second / q;
  return y * right + (1 - y) * wrong;
}

/** Factors 1 + e⁻|ᶻ| ≤ 2 that a float64 takes before their logarithm must be. */
const MOST_FACTORS = 1000;

/** Answers to items without asymptotes. */
interface LogisticAnswers {
  /** a of every answer's item, n×D row-major. */
  readonly rows: Float64Array;
  /** b of every answer's item. */
  readonly intercepts: Float64Array;
  /** In [0,1]. */
  readonly scores: Float64Array;
}

/** Of every answer. */
export interface AnswerDerivatives {
  /** y − P, in the logit. */
  readonly slopes: Float64Array;
  /** PQ. */
  readonly informations: Float64Array;
}

/**
 * {@link responseDerivatives} of many answers to items without asymptotes at one ability, with one
 * logarithm for all of them: Σ log P(y | z) = Σ (y − [z ≥ 0])·z − log Π (1 + e⁻|ᶻ|).
 * @param out - filled
 * @returns the log-likelihood
 */
export function logisticAnswers(
  theta: Float64Array,
  { rows, intercepts, scores }: LogisticAnswers,
  out: AnswerDerivatives,
): number {
  const { slopes, informations } = out;
  const dims = theta.length;
  let sum = 0;
  let product = 1;
  for (let j = 0, at = 0; j < scores.length; j++) {
    let z = -intercepts[j]!;
    for (let d = 0; d < dims; d++, at++) z += rows[at]! * theta[d]!;
    const y = scores[j]!;
    const e = Math.exp(-Math.abs(z));
    const near = 1 / (1 + e);
    const far = e / (1 + e);
    slopes[j] = y - (z < 0 ? far : near);
    informations[j] = near * far;
    sum += (z < 0 ? y : y - 1) * z;
    product *= 1 + e;
    if (j % MOST_FACTORS === MOST_FACTORS - 1) {
      sum -= Math.log(product);
      product = 1;
    }
  }
  return sum - Math.log(product);
}

/**
 * Fisher information of one item about its logit, P′(z)²/(P·Q).
 *
 * The information about θ is this number times a·aᵀ (D×D); for one dimension, a²·P′(z)²/(PQ), which for the
 * 4PL is a²(P−l)²(u−P)²/((u−l)²PQ).
 * @returns at least 0, in logit⁻²
 * @see Magis (2013), Applied Psychological Measurement 37, 304–315
 */
export function logitInformation(theta: FloatArray, bank: ItemBank, item: number): number {
  const z = itemLogit(theta, bank, item);
  if (bank.lower === null && bank.upper === null) return sigmoid(z) * sigmoid(-z);
  const out = { logLikelihood: 0, slope: 0, information: 0 };
  return responseDerivatives(z, 0, bank, item, out).information;
}

/**
 * Fisher information of one item at θ in the direction of steepest slope, ‖a‖²·P′(z)²/(PQ); in one dimension
 * the usual item information function.
 * @example itemInformation(Float64Array.of(0), bank, 0) // 0.25 for a 2PL item with a = 1, b = 0
 */
export function itemInformation(theta: FloatArray, bank: ItemBank, item: number): number {
  let norm = 0;
  for (let d = 0; d < bank.dims; d++) norm += bank.a[item * bank.dims + d]! ** 2;
  return norm * logitInformation(theta, bank, item);
}

/**
 * Test information Σ_i a_i·a_iᵀ·P′²/(PQ) over `items`, a D×D matrix (row-major).
 * @example testInformation(Float64Array.of(0), bank, [0, 1, 2])
 */
export function testInformation(theta: FloatArray, bank: ItemBank, items: ArrayLike<number>): Float64Array {
  const { dims, a } = bank;
  const matrix = new Float64Array(dims * dims);
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    const weight = logitInformation(theta, bank, item);
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        matrix[r * dims + c] = matrix[r * dims + c]! + weight * a[item * dims + r]! * a[item * dims + c]!;
  }
  return matrix;
}

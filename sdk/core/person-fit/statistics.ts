import type { AbilityEstimate, ScoredItems } from "../ability/map.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import { itemLogit } from "../irt/response.ts";
import { sigmoid } from "../numeric/functions.ts";

/** The response model's probabilities for each answer, in the answers' order. */
export interface AnswerCurves {
  /** P of each item. */
  readonly p: Float64Array;
  /** Q = 1 − P, not formed by subtraction. */
  readonly q: Float64Array;
  /** P′/(PQ), P′ by the logit: 1 without asymptotes. An answer's score in θ is (y − P)·P′/(PQ)·a. */
  readonly slope: Float64Array;
  /** `logitInformation`, P′²/(PQ). */
  readonly information: Float64Array;
}

/** Curves of the answered items at θ. */
export function answerCurves(bank: ItemBank, theta: FloatArray, { items }: Pick<ScoredItems, "items">): AnswerCurves {
  const p = new Float64Array(items.length);
  const q = new Float64Array(items.length);
  const slope = new Float64Array(items.length).fill(1);
  const information = new Float64Array(items.length);
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    const z = itemLogit(theta, bank, item);
    const lower = bank.lower?.[item] ?? 0;
    const upper = bank.upper?.[item] ?? 1;
    const range = upper - lower;
    const s = sigmoid(z);
    const t = sigmoid(-z);
    p[j] = lower + range * s;
    q[j] = 1 - upper + range * t;
    // The factor that vanishes in a tail cancels where its asymptote is trivial.
    if (lower > 0 || upper < 1)
      slope[j] = upper === 1 ? s / p[j]! : lower === 0 ? t / q[j]! : (range * s * t) / (p[j]! * q[j]!);
    information[j] = range * s * t * slope[j]!;
  }
  return { p, q, slope, information };
}

/** A variance below this is float64's rounding, and none. */
const NO_VARIANCE = 1e-12;

/**
 * Person fit lz*, the standardised log-likelihood of an answer pattern corrected for the estimated ability, for the
 * posterior mode in any number of dimensions: W/√V with
 *
 * W = Σ (y−P)·w̃,  V = Σ PQ·w̃²,  w̃ = log(P/Q) − s·cᵀa,  s = P′/(PQ),  c = Cov(θ̂)·Σ P′·log(P/Q)·a.
 *
 * Without c it is lz, whose variance supposes that θ is known. With Cov(θ̂) = I⁻¹ c is Snijders's; here it is the
 * posterior's (I + Λ)⁻¹, so that c is finite where the answers are fewer than the dimensions. All that informs θ̂ besides
 * these answers, the prior or other scenarios' answers, is what W's expectation is corrected for: at the mode its pull
 * is −Σ (y−P)·s·a.
 *
 * Low: right and wrong answers are not where difficulty has them, as when they are guessed, or matched to the wrong
 * items. About N(0, 1) where the response model holds; it never quite does, so that thresholds are measured.
 * @param ability - posterior mode with its covariance
 * @param curves - of the answers, where they are known
 * @returns null where log(P/Q) is the same for all that the ability leaves, so that nothing can be out of order
 * @see Drasgow, Levine & Williams (1985), British Journal of Mathematical and Statistical Psychology 38, 67–86; Snijders
 * (2001), Psychometrika 66, 331–342; Magis, Raîche & Béland (2012), Journal of Educational and Behavioral Statistics 37,
 * 57–81 (MAP)
 * @example lzStar(bank, mapAbility(bank, { items: [0, 1], scores: [1, 0] }, prior), { items: [0, 1], scores: [1, 0] }) // null
 */
export function lzStar(
  bank: ItemBank,
  { theta, covariance }: Pick<AbilityEstimate, "theta" | "covariance">,
  answers: ScoredItems,
  { p, q, slope }: AnswerCurves = answerCurves(bank, theta, answers),
): number | null {
  const { dims, a } = bank;
  const { items, scores } = answers;
  const weights = p.map((chance, j) => Math.log(chance) - Math.log(q[j]!));
  const moments = new Float64Array(dims);
  for (let j = 0; j < items.length; j++) {
    const product = p[j]! * q[j]! * slope[j]! * weights[j]!;
    for (let d = 0; d < dims; d++) moments[d] = moments[d]! + product * a[items[j]! * dims + d]!;
  }
  const c = new Float64Array(dims);
  for (let r = 0; r < dims; r++) for (let s = 0; s < dims; s++) c[r] = c[r]! + covariance[r * dims + s]! * moments[s]!;
  let sum = 0;
  let variance = 0;
  for (let j = 0; j < items.length; j++) {
    let shift = 0;
    for (let d = 0; d < dims; d++) shift += c[d]! * a[items[j]! * dims + d]!;
    const weight = weights[j]! - slope[j]! * shift;
    sum += (scores[j]! - p[j]!) * weight;
    variance += p[j]! * q[j]! * weight * weight;
  }
  return variance > NO_VARIANCE ? sum / Math.sqrt(variance) : null;
}

/**
 * Share of memorised items for which the weights are best. Smaller ones rest on the few items that hardly anyone gets
 * right, where real models' lucky answers lie; larger ones find less in short forms (docs/decisions/intervals.md).
 */
const SHARE = 0.3;

/**
 * Item preknowledge: how much more often than expected the model is right where it should be wrong,
 *
 * T = Σ (y−P)·w / √Σ PQ·w²,  w = 1/(κ + (1−κ)·P),  κ = .3.
 *
 * A model that knows a share κ of the items by heart is right with probability κ + (1−κ)·P; w is what the derivative of
 * that log-likelihood in κ weighs a right answer by: 1/κ times on an impossible item, once on a sure one. High: answers
 * that the ability doesn't account for, as when anchors were in the training data.
 *
 * θ̂ comes from the same answers, and is not corrected for: among real models the correction made the statistic vary more
 * and find less. So its variance is well below 1 where the response model holds; thresholds are measured.
 * @param curves - of the answers, where they are known
 * @returns null where no answer is in doubt (PQ = 0 throughout)
 * @see Levine & Drasgow (1988), Psychometrika 53, 161–176; Sinharay (2017), Journal of Educational and Behavioral
 * Statistics 42, 46–68
 * @example preknowledge(bank, Float64Array.of(0), { items: [0, 1, 2, 3], scores: [1, 1, 1, 1] }) // 2
 */
export function preknowledge(
  bank: ItemBank,
  theta: FloatArray,
  answers: ScoredItems,
  { p, q }: AnswerCurves = answerCurves(bank, theta, answers),
): number | null {
  let sum = 0;
  let variance = 0;
  for (let j = 0; j < p.length; j++) {
    const weight = 1 / (SHARE + (1 - SHARE) * p[j]!);
    sum += (answers.scores[j]! - p[j]!) * weight;
    variance += p[j]! * q[j]! * weight * weight;
  }
  return variance > 0 ? sum / Math.sqrt(variance) : null;
}

/** Chance of a right answer in a run that fails: a stray match. Chosen, not measured. */
const STRAY = 0.01;

/**
 * Log-likelihood ratio of a run that fails everywhere against the weakest source model, in nats:
 *
 * n·(ŷ·log(ε/s) + (1−ŷ)·log((1−ε)/(1−s))),  ε = .01,
 *
 * with ŷ the mean of n answers and s that model's full score, at least ε. Above 0 the answers are better explained by a
 * harness that fails (no answer found in the output, a wrong template) than by the weakest model known; never where a
 * source model's own score is 0.
 * @param score - mean of the answers, in [0,1]
 * @param answers - n
 * @param worst - lowest full score of the source models, in [0,1]
 * @returns in nats, of either sign
 * @example brokenRun(0, 100, 0.2) // ≈ 21.3
 */
export function brokenRun(score: number, answers: number, worst: number): number {
  const weakest = Math.min(1 - STRAY, Math.max(STRAY, worst));
  return answers * (score * Math.log(STRAY / weakest) + (1 - score) * Math.log((1 - STRAY) / (1 - weakest)));
}

/** Fit of an item over models, or of a model over items. 1 is expected of a mean square. */
export interface MeanSquareFit {
  /** Answers that it is made of. */
  readonly answers: number;
  /** Σ r²/Σ PQ: answers where the item and the model match count most. NaN without answers. */
  readonly infit: number;
  /** Standard normal where the model holds. NaN where the answers leave no room for it. */
  readonly infitZ: number;
  /** mean of r²/PQ: unexpected answers far from the match count most. */
  readonly outfit: number;
  readonly outfitZ: number;
}

/**
 * Infit and outfit mean squares of residuals r = y − P, with z by Wilson & Hilferty's cube root,
 * z = (v^⅓ − 1)·3/q + q/3 for a mean square v of variance q².
 *
 * Mean squares are Wright & Masters's. Their z supposes true parameters; fitted ones follow the answers, so that
 * residuals are smaller than errors. z is therefore of the mean square over its expectation, in which every PQ counts
 * 1 − leverage; with no leverage it is theirs.
 * z is for answers that are right or wrong; scores in between vary less, and make it low.
 * @see Wright & Masters (1982), Rating Scale Analysis, ch. 5; Wilson & Hilferty (1931), PNAS 17, 684–688
 */
export class MeanSquares {
  #answers = 0;
  #squares = 0;
  #variance = 0;
  #expected = 0;
  #standardised = 0;
  #standardisedExpected = 0;
  #inverse = 0;
  #fourth = 0;

  /**
   * Counts an answer in.
   * @param score - the answer, in [0,1] @param p - its probability, in (0,1)
   * @param leverage - of all parameters on it, in [0,1)
   */
  add(score: number, p: number, leverage = 0): void {
    const variance = p * (1 - p);
    if (!(variance > 0)) return;
    const square = (score - p) ** 2;
    this.#answers++;
    this.#squares += square;
    this.#variance += variance;
    this.#expected += variance * (1 - leverage);
    this.#standardised += square / variance;
    this.#standardisedExpected += 1 - leverage;
    this.#inverse += 1 / variance;
    // Kurtosis of r: E r⁴ − (PQ)² = PQ·(1 − 4PQ).
    this.#fourth += variance * (1 - 4 * variance);
  }

  get fit(): MeanSquareFit {
    const n = this.#answers;
    const infit = this.#squares / this.#variance;
    const outfit = this.#standardised / n;
    const infitSpread = Math.sqrt(this.#fourth) / this.#variance;
    const outfitSpread = Math.sqrt(this.#inverse - 4 * n) / n;
    return {
      answers: n,
      infit,
      infitZ: wilsonHilferty(this.#squares / this.#expected, infitSpread),
      outfit,
      outfitZ: wilsonHilferty(this.#standardised / this.#standardisedExpected, outfitSpread),
    };
  }
}

/** Of a mean square with mean 1 and standard deviation `spread`. */
function wilsonHilferty(meanSquare: number, spread: number): number {
  return spread > 1e-9 ? (Math.cbrt(meanSquare) - 1) * (3 / spread) + spread / 3 : NaN;
}

import { blendEstimates, outsideEstimate } from "anchoreval/internal/core/estimators/blend-estimates";
import {
  BASE_ESTIMATORS,
  type BaseEstimatorId,
  type Blend,
  type Tightening,
} from "anchoreval/internal/core/estimators/types";
import { bernoulliVariance } from "anchoreval/internal/core/estimators/answered-sample";
import { gatedVariance, type SamplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { LEAST_FAMILIES } from "../matrix/families.ts";
import { conformalQuantile } from "./held-out-scores.ts";
import type { HeldOutEstimate } from "./held-out.ts";

/**
 * Share of the mean squared error that is added to every estimator's own, so that near-equal ones share the weight.
 * Chosen, not measured.
 */
const RIDGE = 0.02;

/**
 * Weights of the stack: the convex blend of the base estimators with the least squared error on held-out source models,
 * min wᵀQw over w ≥ 0, Σw = 1, Q the mean products of their errors. Every model counts once. Exact: the optimum of each
 * set of estimators is a linear system, and there are only 63 sets.
 * @returns the Gaussian alone where nothing was held out
 * @see Breiman (1996), Stacked regressions, Machine Learning 24, 49–64
 */
export function stackWeights(estimates: readonly HeldOutEstimate[]): Record<BaseEstimatorId, number> {
  const size = BASE_ESTIMATORS.length;
  const times = timesHeldOut(estimates);
  const products = new Float64Array(size * size);
  for (const { model, truth, base } of estimates) {
    const errors = BASE_ESTIMATORS.map((id) => base[id] - truth);
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) products[r * size + c]! += (errors[r]! * errors[c]!) / times.get(model)!;
  }
  let trace = 0;
  for (let r = 0; r < size; r++) trace += products[r * size + r]! / size;
  for (let r = 0; r < size; r++) products[r * size + r]! += RIDGE * trace;
  const only: Float64Array = new Float64Array(size);
  only[BASE_ESTIMATORS.indexOf("gaussian")] = 1;
  let best = { weights: only, error: quadratic(products, only) };
  for (let set = 1; trace > 0 && set < 1 << size; set++) {
    const weights = optimumOf(products, set);
    if (weights === null) continue;
    const error = quadratic(products, weights);
    if (error < best.error) best = { weights, error };
  }
  return Object.fromEntries(BASE_ESTIMATORS.map((id, k) => [id, best.weights[k]!])) as Record<BaseEstimatorId, number>;
}

/** Weights on some estimators that sum to 1 and minimise wᵀQw; null where one would be negative. */
function optimumOf(products: Float64Array, set: number): Float64Array | null {
  const size = BASE_ESTIMATORS.length;
  const members = Array.from({ length: size }, (_, k) => k).filter((k) => (set & (1 << k)) !== 0);
  const n = members.length;
  const gram = Float64Array.from(
    { length: n * n },
    (_, k) => products[members[Math.floor(k / n)]! * size + members[k % n]!]!,
  );
  const factor = cholesky(gram, n);
  if (factor === null) return null;
  const solved = choleskySolve(factor, n, new Float64Array(n).fill(1));
  const sum = solved.reduce((total, value) => total + value, 0);
  if (!(sum > 0) || solved.some((value) => value < 0)) return null;
  const weights = new Float64Array(size);
  members.forEach((k, j) => (weights[k] = solved[j]! / sum));
  return weights;
}

function quadratic(products: Float64Array, weights: Float64Array): number {
  const size = weights.length;
  let sum = 0;
  for (let r = 0; r < size; r++)
    for (let c = 0; c < size; c++) sum += weights[r]! * weights[c]! * products[r * size + c]!;
  return sum;
}

/**
 * λ of gp-irt: minimises the squared error of λ·anchor-mean + (1−λ)·p-irt on held-out sources,
 * clip((E_pp − E_ap)/(E_aa + E_pp − 2·E_ap), 0, 1), E the mean products of the two errors, pooled over the
 * interpolation-like and the weak-to-strong folds. Every model counts once, however often it was held out.
 * @returns 0.5 where nothing was held out, or where both agree
 */
export function blendingWeight(estimates: readonly HeldOutEstimate[]): number {
  const times = timesHeldOut(estimates);
  let aa = 0;
  let pp = 0;
  let ap = 0;
  for (const { model, truth, base } of estimates) {
    const anchor = base["anchor-mean"] - truth;
    const imputed = base["p-irt"] - truth;
    const share = 1 / times.get(model)!;
    aa += share * anchor * anchor;
    pp += share * imputed * imputed;
    ap += share * anchor * imputed;
  }
  const spread = aa + pp - 2 * ap;
  if (!(spread > 1e-12 * (aa + pp))) return 0.5;
  return Math.min(1, Math.max(0, (pp - ap) / spread));
}

/**
 * Models that c = 1 counts as, beside those held out: few of them say little of stronger ones yet
 * (docs/decisions/estimators.md).
 */
const PRIOR_MODELS = 20;

/**
 * c, what the recalibrated mean is worth outside the range: minimises the squared error of aipw + c·x on stronger models that
 * were held out, x = w·(R − aipw) of c = 1 ({@link outsideEstimate}), c = 1 counting as {@link PRIOR_MODELS} of them,
 * c = (Σx·(S − aipw) + κΣx²)/((1 + κ)·Σx²) within 0 and 1, κ = 20/M. Every model counts once.
 * @param estimates - of the weak-to-strong fold
 * @returns 1 where none was held out
 */
export function recalibrationWeight(estimates: readonly HeldOutEstimate[]): number {
  const times = timesHeldOut(estimates);
  let [gained, squares] = [0, 0];
  for (const estimate of estimates) {
    const { weight, difference } = outsideEstimate(estimate, estimate.seen);
    const moved = weight * difference;
    const share = 1 / times.get(estimate.model)!;
    gained += share * moved * (estimate.truth - estimate.base.aipw);
    squares += share * moved ** 2;
  }
  if (!(squares > 0)) return 1;
  const prior = PRIOR_MODELS / times.size;
  return Math.min(1, Math.max(0, (gained + prior * squares) / ((1 + prior) * squares)));
}

/** Mean squared error of a score, every model counting once; null of no model. */
function meanSquare(
  estimates: readonly HeldOutEstimate[],
  score: (estimate: HeldOutEstimate) => number,
): number | null {
  const times = timesHeldOut(estimates);
  const sum = estimates.reduce(
    (sum, estimate) => sum + (score(estimate) - estimate.truth) ** 2 / times.get(estimate.model)!,
    0,
  );
  return times.size > 0 ? sum / times.size : null;
}

/** How often each model was held out: its estimates share one vote. */
function timesHeldOut(estimates: readonly HeldOutEstimate[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const { model } of estimates) times.set(model, (times.get(model) ?? 0) + 1);
  return times;
}

/**
 * λ by the reference's rule: b²/(v + b²), b the validation error of the model's predictions, v = mean within-model
 * variance of scores / (4n).
 * @param bias - mean absolute error of mean predictions on validation models
 * @param variance - mean over models of the variance of their item scores
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
export function referenceLambda(bias: number, variance: number, n: number): number {
  const square = bias * bias;
  const sampling = variance / (4 * n);
  return square + sampling === 0 ? 0.5 : square / (sampling + square);
}

/**
 * Held-out models below which 95 % of one more can't be told: ⌈(M+1)·.95⌉ must not be the largest alone. Lei, G'Sell,
 * Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111.
 */
export const LEAST_CONFORMAL = 39;

/** Held-out models, and families of them, from which the spread of their errors says something of one more. Chosen, not measured. */
const [LEAST_SPREAD, LEAST_SPREAD_FAMILIES] = [8, 4];

/** Models that the draw's own variance, τ = 1, counts as beside few held-out ones (docs/decisions/intervals.md). */
const DRAW_MODELS = 10;

/** How held-out models tell τ: by a quantile of what each needed, or, few as they are, by its spread over so many families. */
export type TighteningRule = "conformal" | { readonly families: number };

/**
 * How held-out models tell by how much the gate's intervals may be narrowed: `conformal` from 39 of them and 8 families on, by
 * the spread from 8 and 4 on. Decided once, by all of them: intervals are measured as they are served.
 * @param families - family of every model, by row
 * @returns null where they are too few to tell
 */
export function tighteningRule(
  estimates: readonly HeldOutEstimate[],
  families: ArrayLike<number>,
): TighteningRule | null {
  const models = new Set(estimates.map(({ model }) => model));
  const count = new Set([...models].map((model) => families[model])).size;
  if (models.size >= LEAST_CONFORMAL && count >= LEAST_FAMILIES) return "conformal";
  return models.size >= LEAST_SPREAD && count >= LEAST_SPREAD_FAMILIES ? { families: count } : null;
}

/** Least share of the chance of being inside that an error is blamed on. Chosen, not measured. */
const LEAST_INSIDE = 0.05;

/**
 * τ and ρ of the gate's intervals.
 *
 * ρ² = (1 + q)/2, q the mean squared error of the estimate outside the range over that of the wholly corrected mean, which
 * V is of, at most 1: half of what mixing was seen to save, since outside the range it may save less.
 * τ is the least that would have held the scores of 95 % of the held-out models, corrected for their number (split
 * conformal prediction on scaled errors): a model whose error is r design-based half-widths needs a variance of r²V, so
 * τ² = (r² − P·ρ² − P·(u² + (1−P)·g²)/V)/(1 − P) ({@link gatedVariance}). Of few models M, of F families,
 * τ² = (M·q̄·t_F² + 10)/(M + 10), q̄ the mean of these τ², every model counting once: as many half-widths as errors of one
 * spread have, known by F of them, beside ten models that needed τ = 1.
 * @param rule - none: τ is 1
 * @returns τ 1 where the models are too few for any quantile
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2 (locally weighted conformal)
 */
export function intervalTightening(
  estimates: readonly HeldOutEstimate[],
  blend: Omit<Blend, "tightening">,
  rule: TighteningRule | null,
): Tightening {
  if (rule === null) return { inside: 1, outside: 1 };
  const whole = meanSquare(estimates, ({ base }) => base["p-irt-dr"])!;
  const mixed = meanSquare(
    estimates,
    (estimate) => outsideEstimate(estimate, estimate.seen, blend.recalibration).score,
  )!;
  const outside = whole === 0 ? 1 : Math.sqrt((1 + Math.min(1, mixed / whole)) / 2);
  const shareOf = (estimate: HeldOutEstimate): number => neededShare(estimate, blend, outside);
  const needed =
    rule === "conformal" ? conformalQuantile(estimates, shareOf, 0.95) : spreadShare(estimates, shareOf, rule);
  return { inside: needed === null || !Number.isFinite(needed) ? 1 : Math.max(needed, LEAST_INSIDE), outside };
}

/** τ by the spread of what models needed, {@link intervalTightening}. */
function spreadShare(
  estimates: readonly HeldOutEstimate[],
  shareOf: (estimate: HeldOutEstimate) => number,
  { families }: { readonly families: number },
): number {
  const times = timesHeldOut(estimates);
  const squares = estimates.reduce((sum, estimate) => sum + shareOf(estimate) ** 2 / times.get(estimate.model)!, 0);
  return Math.sqrt((squares * studentTQuantile(0.975, families) ** 2 + DRAW_MODELS) / (times.size + DRAW_MODELS));
}

/** τ that one model needs, {@link neededVariance} being what its interval does. @param tightening - ρ */
function neededShare(estimate: HeldOutEstimate, blend: Omit<Blend, "tightening">, tightening: number): number {
  const { seen, sampling, truth } = estimate;
  const blended = blendEstimates(estimate, blend, seen);
  const score = blended.estimators.gate;
  if (sampling === null) return Math.sqrt(neededVariance(score, truth, null));
  const share = Math.min(1 - LEAST_INSIDE, blended.share);
  const { within, bias } = gatedVariance({ ...blended, share }, { inside: 0, outside: tightening }, sampling);
  const needed = neededVariance(score, truth, { ...sampling, bias: Math.sqrt(bias) });
  return Math.sqrt(Math.max(0, (needed - within) / (1 - share)));
}

/**
 * The variance, relative to the one that is stated, at which Wilson's 95 % interval about a score would just hold the
 * truth, or a point nearer by what the stated bias b reaches alone: it holds S where (ŝ − S)² ≤ t²·S(1−S)·V/B, B the
 * Bernoulli variance that the effective size is of, so it needs r²V with r² = (ŝ − S′)²·B/(t²·S′(1−S′)·V) at the S′
 * between ŝ and S with (ŝ − S′)² = (ŝ − S)² − t²b².
 * @param score - ŝ and S as fractions
 * @returns r²; 0 where the interval can't miss, Infinity where nothing was stated
 */
export function neededVariance(score: number, truth: number, sampling: SamplingVariance | null): number {
  if (Math.abs(score - truth) < 1e-12) return 0;
  if (sampling === null || sampling.variance === 0) return Infinity;
  const { variance, degrees, answers, right, bias } = sampling;
  if ((truth === 0 && right === 0) || (truth === 1 && right === answers)) return 0; // never ruled out
  const t = studentTQuantile(0.975, degrees);
  const square = Math.max(0, (score - truth) ** 2 - (t * bias) ** 2);
  if (square === 0) return 0;
  const reached = bias === 0 ? truth : score + Math.sign(truth - score) * Math.sqrt(square);
  return (square * bernoulliVariance(score, answers)) / (t ** 2 * reached * (1 - reached) * variance);
}

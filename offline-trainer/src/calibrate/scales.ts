import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { countAnswers } from "./answer-counts.ts";
import { mean } from "../numeric/statistics.ts";
import type { Parameters, Scales } from "./types.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";
import { logit } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";

/** Shares of right answers, shrunk by half an answer either way. */
export interface AnswerShares {
  readonly subject: Float64Array;
  readonly item: Float64Array;
  /** How many answers every item has. */
  readonly answers: Float64Array;
}

/** Share of right answers of every model and item. */
export function shares(responses: CodedResponses): AnswerShares {
  const { subject, item } = countAnswers(responses);
  const shrunk = ({ seen, right }: typeof item) => right.map((credit, k) => (credit + 0.5) / (seen[k]! + 1));
  return { subject: shrunk(subject), item: shrunk(item), answers: item.seen };
}

/**
 * Where a calibration begins: the first dimension is the models' overall standing (standardised logits of their
 * shares), the others small random directions that break the symmetry; intercepts are the items' own logits.
 */
export function startingValues({ subject, item }: AnswerShares, dims: number, random: RandomSource): Parameters {
  const subjects = subject.length;
  const items = item.length;
  const standing = subject.map(logit);
  const middle = mean(standing);
  const deviation = Math.sqrt(mean(standing.map((value) => (value - middle) ** 2))) || 1;
  const theta = new Float64Array(subjects * dims);
  for (let m = 0; m < subjects; m++)
    for (let d = 0; d < dims; d++)
      theta[m * dims + d] = d === 0 ? (standing[m]! - middle) / deviation : 0.5 * random.normal();
  const a = new Float64Array(items * dims);
  for (let i = 0; i < items; i++)
    for (let d = 0; d < dims; d++) a[i * dims + d] = d === 0 ? 0.8 : 0.2 * random.normal();
  return { theta, a, b: item.map((share) => -logit(share)) };
}

/** Items that a prior guess of each variance counts for: keeps the scales of few items finite. Chosen, not measured. */
const PRIOR_ITEMS = 5;
/** That guess of the discriminations' variance. Chosen, not measured. */
const PRIOR_A_VARIANCE = 0.25;
/** That guess of the intercepts' variance. Chosen, not measured. */
const PRIOR_B_VARIANCE = 4;

/**
 * Share of the learned variance of discriminations that is kept, by default. Abilities are estimated together with the
 * items, which inflates discriminations where models are few; fitted on weak models they then predict too little of strong ones.
 * Half costs nothing among like models and takes a third off p-irt's error on stronger ones
 * (docs/decisions/calibration.md).
 */
export const DISCRIMINATION_SHRINKAGE = 0.5;

/** Where learning begins: weakly informative. */
export function initialScales(dims: number): Scales {
  return {
    aMean: Float64Array.from({ length: dims }, (_, d) => (d === 0 ? 0.8 : 0)),
    aVariance: new Float64Array(dims).fill(0.5),
    bMean: 0,
    bVariance: PRIOR_B_VARIANCE,
  };
}

/**
 * One empirical-Bayes step: means and variances of the items' parameters, each item's posterior variance (by the
 * diagonal of its expected information) added, so that uncertain items don't shrink the scale to nothing.
 * @param weight - Σ_m P(1−P) of every item, about
 * @param shrinkage - share of the discriminations' variance that is kept
 * @see MacKay (1992), Bayesian Interpolation, for the rule; Tipping (2001) for its use as relevance determination
 */
export function updateScales(
  { theta, a, b }: Parameters,
  dims: number,
  scales: Scales,
  weight: Float64Array,
  shrinkage = DISCRIMINATION_SHRINKAGE,
): Scales {
  const subjects = theta.length / dims;
  const items = b.length;
  const aMean = new Float64Array(dims);
  const aVariance = new Float64Array(dims);
  for (let d = 0; d < dims; d++) {
    let spread = 0;
    for (let m = 0; m < subjects; m++) spread += theta[m * dims + d]! ** 2 / subjects;
    for (let i = 0; i < items; i++) aMean[d]! += a[i * dims + d]! / items;
    let sum = PRIOR_ITEMS * PRIOR_A_VARIANCE;
    for (let i = 0; i < items; i++) {
      const posterior = 1 / (weight[i]! * spread + 1 / scales.aVariance[d]!);
      sum += (a[i * dims + d]! - aMean[d]!) ** 2 + posterior;
    }
    aVariance[d] = (shrinkage * sum) / (items + PRIOR_ITEMS);
  }
  const bMean = mean(b);
  let sum = PRIOR_ITEMS * PRIOR_B_VARIANCE;
  for (let i = 0; i < items; i++) sum += (b[i]! - bMean) ** 2 + 1 / (weight[i]! + 1 / scales.bVariance);
  return { aMean, aVariance, bMean, bVariance: sum / (items + PRIOR_ITEMS) };
}

/** Adds −log prior's gradient, and gives its value up to constants: θ by the prior, a_d ~ N(μ_d, σ_d²), b ~ N(μ_b, σ_b²). */
export function addPenalty(
  { theta, a, b }: Parameters,
  gradient: Parameters,
  { aMean, aVariance, bMean, bVariance }: Scales,
  { mean, precision }: AbilityPrior,
): number {
  const dims = aMean.length;
  let value = 0;
  for (let at = 0; at < theta.length; at += dims)
    for (let r = 0; r < dims; r++) {
      let slope = 0;
      for (let c = 0; c < dims; c++) slope += precision[r * dims + c]! * (theta[at + c]! - mean[c]!);
      value += 0.5 * slope * (theta[at + r]! - mean[r]!);
      gradient.theta[at + r]! += slope;
    }
  for (let k = 0; k < a.length; k++) {
    const d = k % dims;
    const gap = a[k]! - aMean[d]!;
    value += (0.5 * gap * gap) / aVariance[d]!;
    gradient.a[k]! += gap / aVariance[d]!;
  }
  for (let k = 0; k < b.length; k++) {
    const gap = b[k]! - bMean;
    value += (0.5 * gap * gap) / bVariance;
    gradient.b[k]! += gap / bVariance;
  }
  return value;
}

/** Σ over an item's answers of their expected information in the logit, about: P(1−P). */
export function itemWeights({ item, answers }: AnswerShares): Float64Array {
  return item.map((p, i) => p * (1 - p) * answers[i]!);
}

/**
 * Diagonal of the objective's expected Hessian, about: L-BFGS's scaling.
 * @param weight - {@link itemWeights}
 * @param out - filled
 */
export function curvature(
  { theta, a }: Parameters,
  { aVariance, bVariance }: Scales,
  { precision }: AbilityPrior,
  weight: Float64Array,
  out: Parameters,
): void {
  const dims = aVariance.length;
  const subjects = theta.length / dims;
  const spread = new Float64Array(dims);
  const slope = new Float64Array(dims);
  for (let k = 0; k < theta.length; k++) spread[k % dims]! += theta[k]! ** 2 / subjects;
  for (let k = 0; k < a.length; k++) slope[k % dims]! += (weight[Math.floor(k / dims)]! * a[k]! ** 2) / subjects;
  for (let k = 0; k < theta.length; k++) out.theta[k] = precision[(k % dims) * (dims + 1)]! + slope[k % dims]!;
  for (let k = 0; k < a.length; k++)
    out.a[k] = 1 / aVariance[k % dims]! + weight[Math.floor(k / dims)]! * spread[k % dims]!;
  for (let k = 0; k < out.b.length; k++) out.b[k] = 1 / bVariance + weight[k]!;
}

import {
  bernoulliVariance,
  type Blend,
  blendEstimates,
  partlyCorrectedMean,
  type SamplingVariance,
  studentTQuantile,
  type Tightening,
} from "anchoreval/core";
import { LEAST_FAMILIES } from "../splits/families.ts";
import { conformalQuantile } from "./held-out-scores.ts";
import type { HeldOutEstimate } from "./held-out.ts";

/** Held-out models below which 95 % of one more can't be told: ⌈(M+1)·.95⌉ must not be the largest alone. */
const LEAST_MODELS = 39;
/** Least share of the chance of being inside that an error is blamed on. */
const LEAST_INSIDE = 0.05;

/**
 * τ and ρ of the gate's intervals.
 *
 * ρ² = (1 + q)/2, q the mean squared error of the partly corrected mean over that of the wholly corrected one, which V is
 * of, at most 1: half of what the half correction was seen to save, since outside the range it may save less.
 * τ is the least that would have held the scores of 95 % of the held-out models, corrected for their number (split
 * conformal prediction on scaled errors): a model whose error is r design-based half-widths needs a variance of r²V, so
 * τ² = (r² − P·ρ² − P(1−P)·g²/V)/(1 − P) ({@link gatedSampling}).
 * @param families - family of every model, by row
 * @returns both 1 for fewer than 39 models or 8 families: the draw alone is known
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2 (locally weighted conformal)
 */
export function intervalTightening(
  estimates: readonly HeldOutEstimate[],
  families: ArrayLike<number>,
  blend: Omit<Blend, "tightening">,
): Tightening {
  const models = new Set(estimates.map(({ model }) => model));
  if (models.size < LEAST_MODELS || new Set([...models].map((model) => families[model])).size < LEAST_FAMILIES)
    return { inside: 1, outside: 1 };
  const outside = outsideTightening(estimates);
  const needed = conformalQuantile(estimates, (estimate) => neededShare(estimate, blend, outside), 0.95);
  return { inside: needed === null || !Number.isFinite(needed) ? 1 : Math.max(needed, LEAST_INSIDE), outside };
}

/** ρ. */
function outsideTightening(estimates: readonly HeldOutEstimate[]): number {
  const squared = (score: (base: HeldOutEstimate["base"]) => number): number =>
    estimates.reduce((sum, { base, truth }) => sum + (score(base) - truth) ** 2, 0);
  const whole = squared((base) => base["p-irt-dr"]);
  return whole === 0 ? 1 : Math.sqrt((1 + Math.min(1, squared(partlyCorrectedMean) / whole)) / 2);
}

/** τ that one model needs, {@link neededVariance} being what its interval does. @param tightening - ρ */
function neededShare(
  { base, bounds, seen, sampling, truth }: HeldOutEstimate,
  blend: Omit<Blend, "tightening">,
  tightening: number,
): number {
  const { estimators, share: outside, gap } = blendEstimates(base, blend, seen, bounds);
  const needed = neededVariance(estimators.gate, truth, sampling);
  if (needed === 0 || sampling === null) return Math.sqrt(needed);
  const share = Math.min(1 - LEAST_INSIDE, outside);
  const between = (share * (1 - share) * gap ** 2) / sampling.variance;
  return Math.sqrt(Math.max(0, (needed - share * tightening ** 2 - between) / (1 - share)));
}

/**
 * The variance, relative to the one that is stated, at which Wilson's 95 % interval about a score would just hold the
 * truth: it holds S where (ŝ − S)² ≤ t²·S(1−S)·V/b, b the Bernoulli variance that the effective size is of, so it needs
 * r²V with r² = (ŝ − S)²·b/(t²·S(1−S)·V).
 * @param score - ŝ and S as fractions
 * @returns r²; 0 where the interval can't miss, Infinity where nothing was stated
 */
export function neededVariance(score: number, truth: number, sampling: SamplingVariance | null): number {
  const square = (score - truth) ** 2;
  if (square < 1e-24) return 0;
  if (sampling === null || sampling.variance === 0) return Infinity;
  const { variance, degrees, answers, right } = sampling;
  if ((truth === 0 && right === 0) || (truth === 1 && right === answers)) return 0; // never ruled out
  const t = studentTQuantile(0.975, degrees);
  return (square * bernoulliVariance(score, answers)) / (t ** 2 * truth * (1 - truth) * variance);
}

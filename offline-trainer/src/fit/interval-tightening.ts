import { bernoulliVariance, blendEstimates, studentTQuantile, type Blend } from "anchoreval/core";
import { conformalQuantile } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";

/** Held-out models below which 95 % of one more can't be told: ⌈(M+1)·.95⌉ must not be the largest alone. */
const LEAST_MODELS = 39;
/** Families of models below which they are too much alike. */
const LEAST_FAMILIES = 8;
/** Least share of the chance of being inside that an error is blamed on. */
const LEAST_INSIDE = 0.05;

/**
 * τ of the gate's intervals: the least that would have held the scores of 95 % of the held-out models, corrected for their
 * number (split conformal prediction on scaled errors). A model whose error is r design-based half-widths needs a variance
 * of r²V, so τ² = (r² − P − P(1−P)·g²/V)/(1 − P) ({@link gatedSampling}).
 * @param families - family of every model, by row
 * @returns 1 for fewer than 39 models or 8 families: the draw alone is known
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2 (locally weighted conformal)
 */
export function intervalTightening(
  estimates: readonly HeldOutEstimate[],
  families: ArrayLike<number>,
  blend: Omit<Blend, "tightening">,
): number {
  const models = new Set(estimates.map(({ model }) => model));
  if (models.size < LEAST_MODELS || new Set([...models].map((model) => families[model])).size < LEAST_FAMILIES)
    return 1;
  const needed = conformalQuantile(estimates, (estimate) => neededShare(estimate, blend), 0.95);
  return needed === null || !Number.isFinite(needed) ? 1 : Math.max(needed, LEAST_INSIDE);
}

/**
 * τ that one model needs. Wilson's interval holds S where (ŝ − S)² ≤ t²·S(1−S)·V/b, b the Bernoulli variance that the
 * effective size is of: so it needs r²V with r² = (ŝ − S)²·b/(t²·S(1−S)·V).
 */
function neededShare(
  { base, bounds, seen, sampling, truth }: HeldOutEstimate,
  blend: Omit<Blend, "tightening">,
): number {
  const { estimators, outside, gap } = blendEstimates(base, blend, seen, bounds);
  const square = (estimators.gate - truth) ** 2;
  if (square < 1e-24) return 0;
  if (sampling === null || sampling.variance === 0) return Infinity;
  const { variance, degrees, answers, right } = sampling;
  if ((truth === 0 && right === 0) || (truth === 1 && right === answers)) return 0; // never ruled out
  const t = studentTQuantile(0.975, degrees);
  const needed = (square * bernoulliVariance(estimators.gate, answers)) / (t ** 2 * truth * (1 - truth) * variance);
  const share = Math.min(1 - LEAST_INSIDE, outside.above + outside.below);
  const between = (share * (1 - share) * gap ** 2) / variance;
  return Math.sqrt(Math.max(0, (needed - share - between) / (1 - share)));
}

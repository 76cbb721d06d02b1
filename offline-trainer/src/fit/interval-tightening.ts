import { blendEstimates, type Blend } from "anchoreval/core";
import { LEAST_FAMILIES } from "../splits/families.ts";
import { conformalQuantile } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { neededVariance } from "./needed-variance.ts";

/** Held-out models below which 95 % of one more can't be told: ⌈(M+1)·.95⌉ must not be the largest alone. */
const LEAST_MODELS = 39;
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

/** τ that one model needs, {@link neededVariance} being what its interval does. */
function neededShare(
  { base, bounds, seen, sampling, truth }: HeldOutEstimate,
  blend: Omit<Blend, "tightening">,
): number {
  const { estimators, share: outside, gap } = blendEstimates(base, blend, seen, bounds);
  const needed = neededVariance(estimators.gate, truth, sampling);
  if (needed === 0 || sampling === null) return Math.sqrt(needed);
  const share = Math.min(1 - LEAST_INSIDE, outside);
  const between = (share * (1 - share) * gap ** 2) / sampling.variance;
  return Math.sqrt(Math.max(0, (needed - share - between) / (1 - share)));
}

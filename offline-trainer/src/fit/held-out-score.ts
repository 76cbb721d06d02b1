import { blendedMean, type EstimatorId } from "anchoreval/core";
import type { HeldOutEstimate } from "./held-out.ts";

/** An estimator's score of a held-out model; gp-irt is blended here. */
export function heldOutScore({ estimators, bounds }: HeldOutEstimate, estimator: EstimatorId, lambda: number): number {
  if (estimator !== "gp-irt") return estimators[estimator];
  const blended = blendedMean(lambda, estimators["anchor-mean"], estimators["p-irt"]);
  return Math.min(bounds.high, Math.max(bounds.low, blended));
}

/**
 * The quantile of the absolute error that covers a new model like the sources with probability `level`: the
 * ⌈(M+1)·level⌉-th smallest of M held-out models' errors (split conformal), averaged over the forms drawn.
 * @param lambda - λ of gp-irt for an estimate
 * @returns a fraction; null where the models are too few for the level
 * @see Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World
 */
export function errorQuantile(
  estimates: readonly HeldOutEstimate[],
  estimator: EstimatorId,
  lambda: (estimate: HeldOutEstimate) => number,
  level: number,
): number | null {
  const byDraw = new Map<number, number[]>();
  for (const estimate of estimates) {
    const errors = byDraw.get(estimate.draw) ?? [];
    errors.push(Math.abs(heldOutScore(estimate, estimator, lambda(estimate)) - estimate.truth));
    byDraw.set(estimate.draw, errors);
  }
  let sum = 0;
  for (const errors of byDraw.values()) {
    const rank = Math.ceil((errors.length + 1) * level);
    if (rank > errors.length) return null;
    sum += errors.sort((x, y) => x - y)[rank - 1]!;
  }
  return byDraw.size > 0 ? sum / byDraw.size : null;
}

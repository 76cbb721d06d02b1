import { blendEstimates, type Blend, type EstimatorId } from "anchoreval/core";
import type { HeldOutEstimate } from "./held-out.ts";

/** An estimator's score of a held-out model, blended here by the code that serves. */
export function heldOutScore({ base, bounds, seen }: HeldOutEstimate, estimator: EstimatorId, blend: Blend): number {
  return blendEstimates(base, blend, seen, bounds).estimators[estimator];
}

/**
 * The quantile of the absolute error that covers a new model like the sources with probability `level`: the
 * ⌈(M+1)·level⌉-th smallest of M held-out models' errors (split conformal), averaged over the forms drawn.
 * @param blend - what blends the estimators of an estimate
 * @returns a fraction; null where the models are too few for the level
 * @see Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World
 */
export function errorQuantile(
  estimates: readonly HeldOutEstimate[],
  estimator: EstimatorId,
  blend: (estimate: HeldOutEstimate) => Blend,
  level: number,
): number | null {
  const byDraw = new Map<number, number[]>();
  for (const estimate of estimates) {
    const errors = byDraw.get(estimate.draw) ?? [];
    errors.push(Math.abs(heldOutScore(estimate, estimator, blend(estimate)) - estimate.truth));
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

import {
  blendEstimates,
  designInterval,
  figureOf,
  gatedSampling,
  type Blend,
  type ByEstimator,
  type EstimatorId,
  type SamplingVariance,
} from "anchoreval/core";
import type { HeldOutEstimate } from "./held-out.ts";

/** Every estimator's score of a held-out model, blended here by the code that serves. */
export function heldOutScores({ base, bounds, seen }: HeldOutEstimate, blend: Blend): ByEstimator<number> {
  return blendEstimates(base, blend, seen, bounds).estimators;
}

/** One estimator's score of a held-out model. */
export function heldOutScore(estimate: HeldOutEstimate, estimator: EstimatorId, blend: Blend): number {
  return figureOf(heldOutScores(estimate, blend), estimator);
}

/** What the draw of the anchors makes of that score's error: less where the gate knows better. */
export function heldOutSampling(
  { base, bounds, seen, sampling }: HeldOutEstimate,
  estimator: EstimatorId,
  blend: Blend,
): SamplingVariance | null {
  if (sampling === null || estimator !== "gate") return sampling;
  return gatedSampling(sampling, blendEstimates(base, blend, seen, bounds), blend.tightening);
}

/** Its design-based 95 % interval; null where there is none. */
export function heldOutInterval(
  estimate: HeldOutEstimate,
  estimator: EstimatorId,
  blend: Blend,
): { low: number; high: number } | null {
  const sampling = heldOutSampling(estimate, estimator, blend);
  if (sampling === null) return null;
  return designInterval({ score: heldOutScore(estimate, estimator, blend), bounds: estimate.bounds, sampling }, 0.95);
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
  return conformalQuantile(
    estimates,
    (estimate) => Math.abs(heldOutScore(estimate, estimator, blend(estimate)) - estimate.truth),
    level,
  );
}

/** The same of any figure of a held-out model. */
export function conformalQuantile(
  estimates: readonly HeldOutEstimate[],
  figure: (estimate: HeldOutEstimate) => number,
  level: number,
): number | null {
  const byDraw = new Map<number, number[]>();
  for (const estimate of estimates) {
    const figures = byDraw.get(estimate.draw) ?? [];
    figures.push(figure(estimate));
    byDraw.set(estimate.draw, figures);
  }
  let sum = 0;
  for (const figures of byDraw.values()) {
    const rank = Math.ceil((figures.length + 1) * level);
    if (rank > figures.length) return null;
    sum += figures.sort((x, y) => x - y)[rank - 1]!;
  }
  return byDraw.size > 0 ? sum / byDraw.size : null;
}

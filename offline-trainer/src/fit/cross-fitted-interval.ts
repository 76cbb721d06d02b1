import type { Blend, EstimatorId } from "anchoreval/core";
import { errorQuantile, heldOutInterval, heldOutScore } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import type { ScoreInterval } from "./interval-figures.ts";
import { withoutFold } from "./without-fold.ts";

/** What the intervals of a scenario's held-out models come from. */
export interface CrossFittedInput {
  readonly estimator: EstimatorId;
  readonly interval: "design" | "cross-validated";
  /** What blends the estimators of a held-out model, learned without it. */
  readonly blend: (estimate: HeldOutEstimate) => Blend;
  readonly interpolation: readonly HeldOutEstimate[];
  readonly extrapolation: readonly HeldOutEstimate[];
}

/**
 * The 95 % interval that a held-out model was given; a cross-validated one comes from the errors of models that its fold
 * does not hold out, in whichever fold they were.
 * @returns null for a model that can't be given one
 */
export function crossFittedInterval({
  estimator,
  interval,
  blend,
  interpolation,
  extrapolation,
}: CrossFittedInput): (estimate: HeldOutEstimate) => ScoreInterval | null {
  if (interval === "design") return (estimate) => heldOutInterval(estimate, estimator, blend(estimate));
  const errorOf = withoutFold([...interpolation, ...extrapolation], (held) => {
    const others = interpolation.filter(({ model }) => !held.has(model));
    return errorQuantile(others, estimator, blend, 0.95);
  });
  return (estimate) => {
    const error = errorOf(estimate);
    if (error === null) return null;
    const score = heldOutScore(estimate, estimator, blend(estimate));
    return { low: Math.max(estimate.bounds.low, score - error), high: Math.min(estimate.bounds.high, score + error) };
  };
}

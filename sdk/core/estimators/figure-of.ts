import { AnchorEvalError } from "../errors.ts";
import { ALL_ESTIMATORS, type ByEstimator, type EstimatorId } from "./types.ts";

/**
 * The figure of an estimator.
 * @throws AnchorEvalError `unsupported` for the score map where there is none
 */
export function figureOf<T>(figures: ByEstimator<T>, id: EstimatorId): T {
  const own = figures[id];
  if (own === undefined) throw new AnchorEvalError("unsupported", `there is no ${id}: the fit made no score map`);
  return own;
}

/** The estimators that there are figures of. */
export function estimatorsOf(figures: ByEstimator<unknown>): EstimatorId[] {
  return ALL_ESTIMATORS.filter((id) => figures[id] !== undefined);
}

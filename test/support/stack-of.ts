import { BASE_ESTIMATORS, type BaseEstimatorId, type Blend } from "anchoreval/core";

/** Weights of a stack of the estimators named; the others have none. */
export function stackOf(parts: Partial<Record<BaseEstimatorId, number>>): Blend["stack"] {
  return Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, parts[id] ?? 0])) as Blend["stack"];
}

import { BASE_ESTIMATORS, type BaseEstimatorId, type Blend } from "anchoreval/internal/core/estimators/types";

/** Weights of a stack of the estimators named; the others have none. */
export function stackOf(parts: Partial<Record<BaseEstimatorId, number>>): Blend["stack"] {
  return Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, parts[id] ?? 0])) as Blend["stack"];
}

/** A stack that has something of every estimator. */
export const MIXED_STACK: Blend["stack"] = {
  "anchor-mean": 0.1,
  "p-irt": 0.2,
  "p-irt-dr": 0.2,
  gaussian: 0.3,
  "ridge-gap": 0.15,
  aipw: 0.05,
};

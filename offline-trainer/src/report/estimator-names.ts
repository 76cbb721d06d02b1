import type { EstimatorId } from "anchoreval/core";

/** Estimators in words, as the glossary has them. */
export const ESTIMATOR_NAMES: Readonly<Record<EstimatorId, string>> = {
  "anchor-mean": "anchor mean",
  "p-irt": "imputed mean",
  "gp-irt": "blended mean",
  "p-irt-dr": "corrected mean",
  gaussian: "conditional mean",
  "ridge-gap": "ridge gap",
  aipw: "AIPW",
  stack: "stacked blend",
  gate: "gated blend",
  "score-map": "mapped score",
};

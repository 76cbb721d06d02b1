import type { RandomSource } from "anchoreval/core";
import { denseRows, type SparseRows } from "../../spectral/sparse-rows.ts";
import { principalAxes } from "../../spectral/principal-axes.ts";
import { spectralRidge } from "../../spectral/spectral-ridge.ts";
import type { FeatureTable } from "./feature-table.ts";
import { networkPredictions } from "./network.ts";

/** What predicts a subset's rank correlation from its features: ridge regression, or a small neural network. */
export const PREDICTORS = ["ridge", "network"] as const;
export type PredictorName = (typeof PREDICTORS)[number];

/** Fits targets, one a row, and predicts the same rows. */
export type Predict = (targets: Float64Array, random: RandomSource) => Float64Array;

/** Each predictor, with what it needs of the features alone made ready. */
export function predictors(table: FeatureTable, random: RandomSource): Readonly<Record<PredictorName, Predict>> {
  return {
    ridge: ridge(table, random.fork("axes")),
    network: (targets, own) => networkPredictions(table, targets, own),
  };
}

/** {@link spectralRidge}, its penalties relative to the mean square of a row's length: rows are scaled to about 1. */
function ridge(table: FeatureTable, random: RandomSource): Predict {
  const axes = principalAxes(unitLength(table), table.width, random);
  return (targets) => {
    const { mean, coefficients } = spectralRidge(axes, targets);
    const { left, singular, rank } = axes;
    return targets.map((_, i) => {
      let own = mean;
      for (let k = 0; k < rank; k++) own += coefficients[k]! * singular[k]! * left[i * rank + k]!;
      return own;
    });
  };
}

function unitLength({ count, width, values }: FeatureTable): SparseRows {
  const scale = 1 / Math.sqrt(width);
  return denseRows(
    values.map((value) => value * scale),
    count,
    width,
  );
}

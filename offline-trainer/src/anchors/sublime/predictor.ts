import type { RandomSource } from "anchoreval/core";
import { denseRows, type SparseRows } from "../../spectral/sparse-rows.ts";
import { principalAxes } from "../../spectral/principal-axes.ts";
import { spectralRidge } from "../../spectral/spectral-ridge.ts";
import type { FeatureTable } from "./feature-table.ts";

/** Fits targets, one a row, and predicts the same rows by {@link spectralRidge}, its penalties relative to the mean square of a row's length: rows are scaled to about 1. */
export function ridgePredictor(table: FeatureTable, random: RandomSource): (targets: Float64Array) => Float64Array {
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

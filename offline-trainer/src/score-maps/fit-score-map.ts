import type { AdditiveMap, FeatureName } from "anchoreval/core";
import { additiveModel } from "../smoothing/additive-model.ts";
import { smoothMap } from "../smoothing/smooth-map.ts";
import { compiledTerm } from "./compile-map.ts";

/** A feature with its value of every source model. */
export interface FeatureColumn extends FeatureName {
  readonly values: Float64Array;
}

/** A map of one feature: a penalised spline by GCV ({@link smoothMap}). */
export function curveMap({ values, ...name }: FeatureColumn, full: Float64Array): AdditiveMap {
  return { intercept: 0, terms: [compiledTerm(name, smoothMap(values, full))] };
}

/** A map of several features: {@link additiveModel}. A constant one has a flat curve. */
export function additiveMap(columns: readonly FeatureColumn[], full: Float64Array): AdditiveMap {
  const { intercept, curves } = additiveModel(
    columns.map(({ values }) => values),
    full,
  );
  return {
    intercept: Math.fround(intercept),
    terms: columns.map(({ values, ...name }, j) =>
      compiledTerm(
        name,
        curves[j] ?? { x: Float64Array.of(values[0]!), y: new Float64Array(1), bending: new Float64Array(1) },
      ),
    ),
  };
}

import type { MeasuredErrors, SplitErrors } from "../core/bundle/manifest.ts";
import { type EstimatorId, figureOf } from "../core/estimators/types.ts";
import { points } from "./figures.ts";

/** Measured errors in words, in points. */
export function errorWords({ interpolation, extrapolation }: MeasuredErrors, estimator: EstimatorId): string {
  if (interpolation === null && extrapolation === null) return "the error was not measured: too few models";
  return [
    ...(interpolation ? [splitText(interpolation, estimator)] : []),
    ...(extrapolation
      ? [`models stronger than any seen: ${points(figureOf(extrapolation.estimators, estimator).mae)}`]
      : []),
  ].join("; ");
}

function splitText(
  { models, estimators, randomMae, coverage95, halfWidth95 }: SplitErrors,
  estimator: EstimatorId,
): string {
  const { mae } = figureOf(estimators, estimator);
  const random = points(randomMae);
  // Zero = not compared.
  const against =
    randomMae === 0
      ? ""
      : mae < randomMae
        ? ` (as many random items: ${random})`
        : ` (no better than as many random items: ${random})`;
  const coverage =
    coverage95 === null
      ? "coverage not measured"
      : `95 % intervals held ${points(coverage95)} %${halfWidth95 === null ? "" : `, ± ${points(halfWidth95)}`}`;
  return `typical error ${points(mae)} points over ${models} held-out models${against}; ${coverage}`;
}

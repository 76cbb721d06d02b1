import { AnchorEvalError } from "../errors.ts";
import { cholesky, choleskyInverse } from "../numeric/dense.ts";

/** A Gaussian prior of θ: mean (D) and precision matrix (D×D, row-major). */
export interface AbilityPrior {
  readonly mean: Float64Array;
  readonly precision: Float64Array;
}

/** A prior θ = μ + L·g + ε: general abilities g ~ N(0, I/γ) shared by several scenarios, ε Gaussian and specific. */
export interface HigherOrderPrior extends AbilityPrior {
  /** G > 0 general abilities. */
  readonly general: number;
  /** L, D×G row-major. */
  readonly loadings: Float64Array;
  /** γ = 1/k². */
  readonly generalPrecision: number;
}

/**
 * The prior N(μ, k²Σ) that every estimate uses.
 * @param mean - μ, the source models' mean ability (D)
 * @param covariance - Σ, the source models' ability covariance (D×D, row-major)
 * @param scale - k > 0; wide (near 2.5) helps with models unlike those seen
 * @throws AnchorEvalError `invalid_data` where Σ is not positive definite
 */
export function scaledPrior(mean: Float64Array, covariance: Float64Array, scale: number): AbilityPrior {
  const n = mean.length;
  const scaled = covariance.map((value) => value * scale * scale);
  const factor = cholesky(scaled, n);
  if (factor === null || !(scale > 0))
    throw new AnchorEvalError(
      "invalid_data",
      `the ability prior is not a Gaussian: covariance ${covariance.join(", ")}, scale ${scale}`,
    );
  return { mean, precision: choleskyInverse(factor, n) };
}

/**
 * The prior θ = μ + L·g + ε, g ~ N(0, k²I), ε ~ N(0, k²(Σ − LLᵀ)): by itself N(μ, k²Σ) again.
 * @param loadings - L, D×G row-major
 * @param general - G > 0
 * @throws AnchorEvalError `invalid_data` where Σ − LLᵀ is not positive definite
 */
export function higherOrderPrior(
  mean: Float64Array,
  covariance: Float64Array,
  scale: number,
  loadings: Float64Array,
  general: number,
): HigherOrderPrior {
  const specific = specificCovariance(covariance, loadings, general);
  return { ...scaledPrior(mean, specific, scale), general, loadings, generalPrecision: 1 / (scale * scale) };
}

/** Σ − LLᵀ: what is left to the bank's own ability. */
export function specificCovariance(
  covariance: ArrayLike<number>,
  loadings: ArrayLike<number>,
  general: number,
): Float64Array {
  const dims = loadings.length / general;
  const specific = Float64Array.from(covariance);
  for (let r = 0; r < dims; r++)
    for (let c = 0; c < dims; c++)
      for (let k = 0; k < general; k++)
        specific[r * dims + c] = specific[r * dims + c]! - loadings[r * general + k]! * loadings[c * general + k]!;
  return specific;
}

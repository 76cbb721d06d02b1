import { AnchorEvalError } from "../errors.ts";
import { cholesky, choleskyInverse } from "../numeric/cholesky.ts";
import type { AbilityPrior } from "./types.ts";

/**
 * The prior N(μ, k²Σ) that every estimate uses.
 * @param mean - μ, the source models' mean ability (D)
 * @param covariance - Σ, the source models' ability covariance (D×D, row-major)
 * @param scale - k > 0; wide (near 2.5) helps with models unlike those seen
 * @throws AnchorEvalError `invalid_data` where Σ is not positive definite
 */
export function scaledPrior(mean: Float64Array, covariance: Float64Array, scale: number): AbilityPrior {
  const n = mean.length;
  const factor = cholesky(
    covariance.map((value) => value * scale * scale),
    n,
  );
  if (factor === null || !(scale > 0))
    throw new AnchorEvalError(
      "invalid_data",
      `the ability prior is not a Gaussian: covariance ${covariance.join(", ")}, scale ${scale}`,
    );
  return { mean, precision: choleskyInverse(factor, n) };
}

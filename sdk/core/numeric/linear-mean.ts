/** mean + Σ_k β_k·x_k, a coefficient β an axis. */
export interface LinearMean {
  readonly mean: number;
  readonly coefficients: Float64Array;
}

/** A ridge regression on axes on which it is diagonal. */
export interface LinearModel extends LinearMean {
  /** 1/(s_k² + λ) of every axis; 0 where λ = ∞, as then the coefficients are. */
  readonly spreads: Float64Array;
  /** σ², the mean squared error of rows left out. */
  readonly noise: number;
}

/** @param at - x, a number an axis */
export function linearPrediction({ mean, coefficients }: LinearMean, at: Float64Array): number {
  let sum = mean;
  for (let k = 0; k < coefficients.length; k++) sum += coefficients[k]! * at[k]!;
  return sum;
}

/**
 * Variance of a new target about its prediction, σ²·(1 + Σ_k x_k²/(s_k² + λ)): that of the Bayesian linear model with
 * prior N(0, σ²/λ) on the coefficients.
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.1
 */
export function predictiveVariance({ noise, spreads }: LinearModel, at: Float64Array): number {
  let variance = noise;
  for (let k = 0; k < spreads.length; k++) variance += noise * at[k]! ** 2 * spreads[k]!;
  return variance;
}

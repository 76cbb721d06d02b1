/** A Gaussian prior of θ: mean (D) and precision matrix (D×D, row-major). */
export interface AbilityPrior {
  readonly mean: Float64Array;
  readonly precision: Float64Array;
}

/** An ability with its own diagnosis. */
export interface AbilityEstimate {
  /** θ, length D, on the bank's scale. */
  readonly theta: Float64Array;
  /** Posterior standard deviation of each coordinate. */
  readonly standardError: Float64Array;
  /** Posterior covariance, D×D row-major: the inverse of test information plus prior precision at θ (MAP), or the posterior's own (EAP). */
  readonly covariance: Float64Array;
  readonly status: "converged" | "max-iterations";
  readonly iterations: number;
  readonly method: "map" | "eap";
}

/** Scores of answered items: `items[j]` was scored `scores[j]`, in [0,1]. */
export interface ScoredItems {
  readonly items: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

/** A prior θ = μ + L·g + ε: general abilities g ~ N(0, I/γ) shared by several banks, ε Gaussian and specific. */
export interface HigherOrderPrior extends AbilityPrior {
  /** G > 0 general abilities. */
  readonly general: number;
  /** L, D×G row-major. */
  readonly loadings: Float64Array;
  /** γ = 1/k². */
  readonly generalPrecision: number;
}

/** Stored as float32 in a bundle, computed with in float64. */
export type FloatArray = Float32Array | Float64Array;

/**
 * Calibrated item parameters, structure of arrays; position = item index.
 *
 * logit: z_i = Σ_d a_id·θ_d − b_i,  P_i = lower_i + (upper_i − lower_i)·σ(z_i). Logistic metric, no 1.702.
 */
export interface ItemBank {
  /** Number of items N. */
  readonly count: number;
  /** Latent dimensions D ≥ 1. */
  readonly dims: number;
  /** Discriminations in logits per unit of θ, item-major: a[i·D + d]. */
  readonly a: FloatArray;
  /** Intercepts in logits, N of them; larger is harder. Not a difficulty: that is {@link difficulties}. */
  readonly b: FloatArray;
  /** Lower asymptotes in [0, upper); null = all 0. */
  readonly lower: FloatArray | null;
  /** Upper asymptotes in (lower, 1]; null = all 1. */
  readonly upper: FloatArray | null;
}

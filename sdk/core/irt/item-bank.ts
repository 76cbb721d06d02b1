import { AnchorEvalError } from "../errors.ts";

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

/** The parameterisation of every bundle, as its manifest states it. */
export const PARAMETERIZATION = "logit P(y=1) = sum_d a_d*theta_d - b; P = lower + (upper-lower)*sigmoid(z)";

/** A 2PL bank from its arrays. @param a - N·D discriminations, item-major @param b - N intercepts */
export function itemBank(
  a: FloatArray,
  b: FloatArray,
  asymptotes: Partial<Pick<ItemBank, "lower" | "upper">> = {},
): ItemBank {
  const count = b.length;
  if (count === 0 || a.length === 0 || a.length % count !== 0)
    throw new AnchorEvalError(
      "invalid_data",
      `an item bank needs N intercepts and N·D discriminations, got ${b.length} and ${a.length}`,
    );
  return { count, dims: a.length / count, a, b, lower: asymptotes.lower ?? null, upper: asymptotes.upper ?? null };
}

/** MDISC, ‖a‖ (Reckase & McKinley 1991): the slope in the direction in which the item discriminates best. */
export function discriminations(bank: ItemBank): Float64Array {
  return Float64Array.from({ length: bank.count }, (_, i) => {
    let square = 0;
    for (let d = 0; d < bank.dims; d++) square += bank.a[i * bank.dims + d]! ** 2;
    return Math.sqrt(square);
  });
}

/**
 * Difficulty as people are shown it: b/a in one dimension, MDIFF = b/‖a‖ in several (Reckase 1985).
 * @returns N values in units of θ; ±∞ or NaN where an item doesn't discriminate.
 */
export function difficulties(bank: ItemBank): Float64Array {
  if (bank.dims === 1) return Float64Array.from(bank.b, (b, i) => b / bank.a[i]!);
  return discriminations(bank).map((norm, i) => bank.b[i]! / norm);
}

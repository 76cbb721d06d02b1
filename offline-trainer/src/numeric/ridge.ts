import { type LinearModel, linearPrediction, predictiveVariance } from "anchoreval/internal/core/numeric/linear-mean";
import type { PrincipalAxes } from "./principal-axes.ts";
import { mean as meanOf } from "./statistics.ts";

/** Penalties tried: rows have length 1 at most, and so have their products. ∞ predicts the mean. */
const PENALTIES: readonly number[] = [...Array.from({ length: 11 }, (_, k) => 2 ** (k - 3)), Infinity];

/** A ridge regression on principal axes, with the penalty that leaving one out chose. */
export interface SpectralRidge extends LinearModel {
  readonly penalty: number;
  /** Prediction of each train row from the others. */
  readonly leftOut: Float64Array;
}

/**
 * Ridge regression z ≈ mean + Σ_k β_k·x_k on the principal axes of the train rows, where it is diagonal:
 * β_k = s_k·u_kᵀz/(s_k² + λ). Leaving row i out of it changes its residual to r_i/(1 − h_i),
 * h_i = 1/n + Σ_k u_ik²·s_k²/(s_k² + λ), exactly; λ has the least sum of their squares.
 * The same as kernel ridge regression with the kernel of inner products on those axes.
 * @param targets - z, one a train row
 * @see Golub, Heath & Wahba (1979), Technometrics 21, 215–223; Allen (1974), Technometrics 16, 125–127 (PRESS)
 */
export function spectralRidge({ left, singular, rank }: PrincipalAxes, targets: Float64Array): SpectralRidge {
  const count = targets.length;
  const mean = meanOf(targets);
  const along = new Float64Array(rank);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < rank; k++) along[k]! += left[i * rank + k]! * (targets[i]! - mean);
  let best: { penalty: number; leftOut: Float64Array; squares: number } | null = null;
  for (const penalty of PENALTIES) {
    const shares = singular.map((s) => s ** 2 / (s ** 2 + penalty));
    const leftOut = new Float64Array(count);
    let squares = 0;
    for (let i = 0; i < count; i++) {
      let fitted = mean;
      let leverage = 1 / count;
      for (let k = 0; k < rank; k++) {
        const value = left[i * rank + k]!;
        fitted += value * shares[k]! * along[k]!;
        leverage += value * value * shares[k]!;
      }
      const residual = (targets[i]! - fitted) / Math.max(1e-9, 1 - leverage);
      leftOut[i] = targets[i]! - residual;
      squares += residual ** 2;
    }
    if (best === null || squares < best.squares) best = { penalty, leftOut, squares };
  }
  const { penalty, leftOut, squares } = best!;
  return {
    penalty,
    mean,
    coefficients: along.map((value, k) => (singular[k]! * value) / (singular[k]! ** 2 + penalty)),
    leftOut,
    spreads: singular.map((s) => 1 / (s ** 2 + penalty)),
    noise: squares / count,
  };
}

/** Predictions for rows on the same axes. @param at - rows×rank, row-major */
export function ridgePredictions(ridge: SpectralRidge, at: Float64Array, count: number): Float64Array {
  return byRow(at, count, (row) => linearPrediction(ridge, row));
}

/** Variances of new targets about their predictions ({@link predictiveVariance}). @param at - rows×rank, row-major */
export function ridgeVariances(ridge: SpectralRidge, at: Float64Array, count: number): Float64Array {
  return byRow(at, count, (row) => predictiveVariance(ridge, row));
}

function byRow(at: Float64Array, count: number, valueOf: (row: Float64Array) => number): Float64Array {
  const rank = at.length / count;
  return Float64Array.from({ length: count }, (_, i) => valueOf(at.subarray(i * rank, (i + 1) * rank)));
}

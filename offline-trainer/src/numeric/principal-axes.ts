import { addGram } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { symmetricEigen } from "./eigen.ts";
import { denseRows, type SparseRows, timesDense, transposed } from "./sparse-rows.ts";
import { type LinearModel, linearPrediction, predictiveVariance } from "anchoreval/internal/core/numeric/linear-mean";
import { mean as meanOf } from "./statistics.ts";

/** Directions drawn beyond those that are wanted, and power iterations: Halko, Martinsson & Tropp's advice. */
const OVERSAMPLING = 10;
const POWER_ITERATIONS = 3;
/** Axes below this share of the largest singular value are rounding. */
const LEAST_SHARE = 1e-7;

/**
 * Principal components by randomised singular value decomposition with power iterations; rows are centred without being
 * filled in. Exact to rounding where the rank reaches that of the rows.
 * @param rank - at most; never more than the rows less one, or their width; rows that are all the same have rank 0
 * @see Halko, Martinsson & Tropp (2011), SIAM Review 53, 217–288, algorithms 4.4 and 5.1
 */
export function principalAxes(rows: SparseRows, rank: number, random: RandomSource) {
  const { count, width } = rows;
  const columns = transposed(rows);
  const mean = timesDense(columns, new Float64Array(count).fill(1 / count), 1);
  const size = Math.min(rank + OVERSAMPLING, count - 1, width);
  const centred = (b: Float64Array): Float64Array => minusMean(timesDense(rows, b, size), mean, b, size);
  const start = Float64Array.from({ length: width * size }, () => random.normal());
  let basis = orthonormal(centred(start), count, size);
  for (let k = 0; k < POWER_ITERATIONS; k++)
    basis = orthonormal(centred(turnedProduct(columns, mean, basis, size)), count, size);
  const turned = turnedProduct(columns, mean, basis, size);
  const gram = new Float64Array(size * size);
  addGram(gram, size, turned, new Float64Array(width).fill(1), width);
  for (let r = 0; r < size; r++) for (let s = 0; s < r; s++) gram[s * size + r] = gram[r * size + s]!;
  const { values, vectors } = symmetricEigen(gram, size);
  const singular = values.map((value) => Math.sqrt(Math.max(0, value)));
  let kept = 0;
  while (kept < Math.min(rank, size) && singular[kept]! > LEAST_SHARE * singular[0]!) kept++;
  return {
    rank: kept,
    /** Mean row, of the rows' width. */
    mean,
    /** V, width×rank row-major, orthonormal columns. */
    axes: combined(turned, vectors, { count: width, size, kept }, singular),
    /** Singular values of the centred rows, descending. */
    singular: singular.slice(0, kept),
    /** U, count×rank row-major: the centred rows are near U·diag(singular)·Vᵀ. */
    left: combined(basis, vectors, { count, size, kept }, null),
  };
}

export type PrincipalAxes = ReturnType<typeof principalAxes>;

/** The rows that made the axes on them: U·diag(singular), count×rank row-major. */
export function ownPlaces({ left, singular, rank }: PrincipalAxes): Float64Array {
  return left.map((value, at) => value * singular[at % rank]!);
}

/** Rows on the axes: (x − mean)·V, count×rank row-major. */
export function onAxes(rows: SparseRows, { mean, axes, rank }: PrincipalAxes): Float64Array {
  return minusMean(timesDense(rows, axes, rank), mean, axes, rank);
}

/** Takes mean·B from each row of a product X·B. */
function minusMean(product: Float64Array, mean: Float64Array, b: Float64Array, size: number): Float64Array {
  const shift = timesDense(denseRows(mean, 1, mean.length), b, size);
  for (let at = 0; at < product.length; at++) product[at]! -= shift[at % size]!;
  return product;
}

/** (X − 1·meanᵀ)ᵀ·Q, width×size. */
function turnedProduct(columns: SparseRows, mean: Float64Array, q: Float64Array, size: number): Float64Array {
  const product = timesDense(columns, q, size);
  const sums = new Float64Array(size);
  for (let at = 0; at < q.length; at++) sums[at % size]! += q[at]!;
  for (let c = 0; c < mean.length; c++) for (let k = 0; k < size; k++) product[c * size + k]! -= mean[c]! * sums[k]!;
  return product;
}

/** Gram–Schmidt, twice over, of the columns of a count×size matrix in place; a column of rounding becomes zero. */
function orthonormal(q: Float64Array, count: number, size: number): Float64Array {
  const column = new Float64Array(count);
  const products = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const before = columnLength(q, count, size, k);
    for (let pass = 0; pass < 2; pass++) {
      products.fill(0);
      for (let i = 0; i < count; i++) {
        const value = q[i * size + k]!;
        for (let j = 0; j < k; j++) products[j]! += value * q[i * size + j]!;
      }
      for (let i = 0; i < count; i++) {
        let value = q[i * size + k]!;
        for (let j = 0; j < k; j++) value -= products[j]! * q[i * size + j]!;
        q[i * size + k] = column[i] = value;
      }
    }
    const length = columnLength(q, count, size, k);
    const scale = length > 1e-12 * before ? 1 / length : 0;
    for (let i = 0; i < count; i++) q[i * size + k] = column[i]! * scale;
  }
  return q;
}

/** ‖column k‖ of a count×size matrix. */
export function columnLength(q: Float64Array, count: number, size: number, k: number): number {
  let squares = 0;
  for (let i = 0; i < count; i++) squares += q[i * size + k]! ** 2;
  return Math.sqrt(squares);
}

/** B·W of a count×size matrix B and the first `kept` eigenvectors, each divided by its singular value where those are given. */
function combined(
  b: Float64Array,
  vectors: Float64Array,
  { count, size, kept }: { readonly count: number; readonly size: number; readonly kept: number },
  singular: Float64Array | null,
): Float64Array {
  const weights = Float64Array.from({ length: size * kept }, (_, at) => {
    const k = at % kept;
    const value = vectors[k * size + Math.floor(at / kept)]!;
    return singular === null ? value : value / singular[k]!;
  });
  return timesDense(denseRows(b, count, size), weights, kept);
}

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

import { cholesky } from "../numeric/dense.ts";
import type { AnchorFactors } from "./types.ts";

/** Normal equations of the regressions on the source models' answers, for some answered anchors, solved. */
export interface AnswerSystem {
  /** Features of an item: its loadings z, the last first, its mean μ and 1; Q + 2. */
  readonly size: number;
  /** Features of every answered anchor, n×(Q+2). */
  readonly features: Float64Array;
  /** The same sums over all items of the scenario: Σwz, Σwμ and 1. */
  readonly total: Float64Array;
  /** 1/d of every answered anchor. */
  readonly precision: Float64Array;
  /**
   * Cholesky's L of G = Σ xxᵀ/d + diag(1, …, 1, 0): every feature has a penalty but the 1, the intercept. Its leading
   * Q×Q block is that of Σ zzᵀ/d + I.
   */
  readonly factor: Float64Array;
}

/**
 * Sums and solves the normal equations. Loadings that Cholesky's decomposition made end in zeros, an item fewer than the
 * one after it; here they stand first, and are skipped.
 * @param positions - of the answered anchors among the factors' rows
 */
export function answerSystem(factors: AnchorFactors, positions: Uint32Array): AnswerSystem {
  const { rank, mean, loadings, noise } = factors;
  const size = rank + 2;
  const features = new Float64Array(positions.length * size);
  const precision = Float64Array.from(positions, (row) => 1 / noise[row]!);
  const system = new Float64Array(size * size);
  for (let k = 0; k < size - 1; k++) system[k * size + k] = 1;
  positions.forEach((row, j) => {
    const x = features.subarray(j * size, (j + 1) * size);
    fill(x, loadings.subarray(row * rank, (row + 1) * rank), mean[row]!);
    const first = leadingZeros(x);
    for (let r = first; r < size; r++) {
      const scaled = precision[j]! * x[r]!;
      const line = r * size;
      for (let c = first; c <= r; c++) system[line + c] = system[line + c]! + scaled * x[c]!;
    }
  });
  const total = new Float64Array(size);
  fill(total, factors.total.loadings, factors.total.mean);
  return { size, features, total, precision, factor: cholesky(system, size)! }; // definite with one answer or more
}

function fill(x: Float64Array, loadings: ArrayLike<number>, mean: number): void {
  const rank = loadings.length;
  for (let r = 0; r < rank; r++) x[rank - 1 - r] = loadings[r]!;
  x[rank] = mean;
  x[rank + 1] = 1;
}

function leadingZeros(x: Float64Array): number {
  let count = 0;
  while (x[count] === 0) count++;
  return count;
}

/** Leverage xᵀ·G⁻¹·x/d of every answer on its own prediction, in (0,1]. */
export function leverages({ size, features, precision, factor }: AnswerSystem): Float64Array {
  const solved = new Float64Array(size);
  return precision.map((own, j) => {
    const x = features.subarray(j * size, (j + 1) * size);
    const first = leadingZeros(x);
    let squared = 0;
    for (let r = first; r < size; r++) {
      const line = r * size;
      let sum = x[r]!;
      for (let c = first; c < r; c++) sum -= factor[line + c]! * solved[c]!;
      solved[r] = sum / factor[line + r]!;
      squared += solved[r]! * solved[r]!;
    }
    return own * squared;
  });
}

/** Weights xᵀ·v/d of the answers in the linear functional whose solution is v. */
export function answerWeights({ size, features, precision }: AnswerSystem, solution: Float64Array): Float64Array {
  return precision.map((own, j) => {
    let product = 0;
    for (let k = 0; k < solution.length; k++) product += features[j * size + k]! * solution[k]!;
    return own * product;
  });
}

/** A vector of all features less Σ weight·x over the answered anchors. */
export function lessAnswered(
  { size, features }: AnswerSystem,
  vector: Float64Array,
  weights: ArrayLike<number>,
): Float64Array {
  const left = Float64Array.from(vector);
  for (let j = 0; j < weights.length; j++)
    for (let k = 0; k < size; k++) left[k] = left[k]! - weights[j]! * features[j * size + k]!;
  return left;
}

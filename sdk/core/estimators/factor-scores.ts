import { cholesky, choleskySolve } from "../numeric/dense.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/** û of a model from its scores, aligned with the parts' rows; NaN = no answer. */
type FactorSolver = (scores: readonly ArrayLike<number>[]) => Float64Array;

/**
 * Factors of many models by their answers to the same anchors: the posterior mean under {@link AnchorFactors},
 * û = (I + Σ zzᵀ/d)⁻¹ Σ z(y−μ)/d over all answers. What follows from the anchors alone is solved once, with the first
 * model: for one that answered them all a product is left, for others the rows without an answer are taken out, exactly.
 * @param parts - factors of one scenario's anchors, or of several scenarios' where they are the same
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorSolver(parts: readonly AnchorFactors[]): FactorSolver {
  let whole: { readonly precision: Float64Array; readonly factor: Float64Array } | undefined;
  return (scores) => {
    const { rank } = parts[0]!;
    if (whole === undefined) {
      const precision = new Float64Array(rank * rank);
      for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
      for (const part of parts) addInformation(precision, part, () => true, 1);
      whole = { precision, factor: cholesky(precision, rank)! }; // I plus a Gram matrix is positive definite
    }
    let { factor } = whole;
    if (scores.some(hasMissing)) {
      // Fewer rows are without an answer than with one: those are taken out.
      const precision = whole.precision.slice();
      parts.forEach((part, k) => addInformation(precision, part, (row) => Number.isNaN(scores[k]![row]!), -1));
      factor = cholesky(precision, rank)!;
    }
    const slope = new Float64Array(rank);
    parts.forEach(({ mean, loadings, noise }, k) => {
      for (let row = 0; row < mean.length; row++) {
        const scaled = (scores[k]![row]! - mean[row]!) / noise[row]!;
        if (Number.isNaN(scaled)) continue;
        for (let r = 0; r < rank; r++) slope[r] = slope[r]! + scaled * loadings[row * rank + r]!;
      }
    });
    return choleskySolve(factor, rank, slope);
  };
}

/** Adds sign·Σ zzᵀ/d over the rows that count to a precision's lower triangle. */
function addInformation(
  precision: Float64Array,
  { rank, mean, loadings, noise }: AnchorFactors,
  counts: (row: number) => boolean,
  sign: 1 | -1,
): void {
  for (let row = 0; row < mean.length; row++) {
    if (!counts(row)) continue;
    for (let r = 0; r < rank; r++) {
      const scaled = (sign * loadings[row * rank + r]!) / noise[row]!;
      for (let c = 0; c <= r; c++)
        precision[r * rank + c] = precision[r * rank + c]! + scaled * loadings[row * rank + c]!;
    }
  }
}

function hasMissing(scores: ArrayLike<number>): boolean {
  for (let j = 0; j < scores.length; j++) if (Number.isNaN(scores[j]!)) return true;
  return false;
}

/**
 * `gaussian`: the conditional mean of the full score given the answers, under the factor model of {@link AnchorFactors}:
 * Σ_A w·y + Σ_U w·μ + (Σ_U w·z)·û, A the answered items and U the rest. Best among models like the sources; it knows
 * nothing of stronger ones.
 * @param weights - item weights of the scenario, summing to 1
 * @param scores - û of the model, from these answers at least ({@link factorSolver})
 * @returns not clamped to [0,1]
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.2 and appendix A.3 (Woodbury)
 */
export function gaussianMean(
  { rank, mean, loadings, total }: AnchorFactors,
  weights: Float64Array,
  sample: AnsweredSample,
  scores: Float64Array,
): number {
  const rest = Float64Array.from(total.loadings);
  let score = total.mean;
  for (let j = 0; j < sample.items.length; j++) {
    const row = sample.positions[j]!;
    const weight = weights[sample.items[j]!]!;
    score += weight * (sample.scores[j]! - mean[row]!);
    for (let r = 0; r < rank; r++) rest[r] = rest[r]! - weight * loadings[row * rank + r]!;
  }
  for (let r = 0; r < rank; r++) score += rest[r]! * scores[r]!;
  return score;
}

/** The factors of some rows. */
export function anchorFactors({ rank, mean, loadings, noise, total }: AnchorFactors, rows: Uint32Array): AnchorFactors {
  const own = new Float32Array(rows.length * rank);
  rows.forEach((row, j) => own.set(loadings.subarray(row * rank, (row + 1) * rank), j * rank));
  return {
    rank,
    mean: Float32Array.from(rows, (row) => mean[row]!),
    loadings: own,
    noise: Float32Array.from(rows, (row) => noise[row]!),
    total,
  };
}

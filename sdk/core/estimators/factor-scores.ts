import { cholesky, choleskySolve, choleskySolveAt } from "../numeric/dense.ts";
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
  const { rank } = parts[0]!;
  let whole: { readonly precision: Float64Array; readonly gains: readonly Float64Array[] } | undefined;
  return (scores) => {
    if (whole === undefined) {
      const precision = new Float64Array(rank * rank);
      for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
      for (const part of parts) addInformation(precision, part, () => true, 1);
      const factor = cholesky(precision, rank)!; // I plus a Gram matrix is positive definite
      const gains = parts.map(({ loadings }) => Float64Array.from(loadings));
      for (const gain of gains) for (let at = 0; at < gain.length; at += rank) choleskySolveAt(factor, rank, gain, at);
      whole = { precision, gains };
    }
    const { precision, gains } = whole;
    const missing = scores.some(hasMissing);
    const sum = new Float64Array(rank);
    parts.forEach(({ mean, loadings, noise }, k) => {
      const gain = missing ? loadings : gains[k]!;
      for (let row = 0; row < mean.length; row++) {
        const scaled = (scores[k]![row]! - mean[row]!) / noise[row]!;
        if (Number.isNaN(scaled)) continue;
        for (let r = 0; r < rank; r++) sum[r] = sum[r]! + scaled * gain[row * rank + r]!;
      }
    });
    if (!missing) return sum;
    // Fewer rows are without an answer than with one: those are taken out.
    const left = precision.slice();
    parts.forEach((part, k) => addInformation(left, part, (row) => Number.isNaN(scores[k]![row]!), -1));
    return choleskySolve(cholesky(left, rank)!, rank, sum);
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
 * @param unanswered - Σ_U w·z, which models that answered the same anchors share
 * @returns not clamped to [0,1]
 * @see Rasmussen & Williams (2006), Gaussian Processes for Machine Learning, §2.2 and appendix A.3 (Woodbury)
 */
export function gaussianMean(
  factors: AnchorFactors,
  weights: Float64Array,
  sample: AnsweredSample,
  scores: Float64Array,
  unanswered: Float64Array = unansweredLoadings(factors, weights, sample),
): number {
  let score = factors.total.mean;
  for (let j = 0; j < sample.items.length; j++)
    score += weights[sample.items[j]!]! * (sample.scores[j]! - factors.mean[sample.positions[j]!]!);
  for (let r = 0; r < unanswered.length; r++) score += unanswered[r]! * scores[r]!;
  return score;
}

/** Σ_U w·z, the weighted loadings of the items without an answer. */
export function unansweredLoadings(
  { rank, loadings, total }: AnchorFactors,
  weights: Float64Array,
  { items, positions }: Pick<AnsweredSample, "items" | "positions">,
): Float64Array {
  const rest = Float64Array.from(total.loadings);
  for (let j = 0; j < items.length; j++) {
    const row = positions[j]! * rank;
    const weight = weights[items[j]!]!;
    for (let r = 0; r < rank; r++) rest[r] = rest[r]! - weight * loadings[row + r]!;
  }
  return rest;
}

/** The factors of some rows. */
export function anchorFactors({ rank, mean, loadings, noise, total }: AnchorFactors, rows: Uint32Array): AnchorFactors {
  const selected = new Float32Array(rows.length * rank);
  rows.forEach((row, j) => selected.set(loadings.subarray(row * rank, (row + 1) * rank), j * rank));
  return {
    rank,
    mean: Float32Array.from(rows, (row) => mean[row]!),
    loadings: selected,
    noise: Float32Array.from(rows, (row) => noise[row]!),
    total,
  };
}

import { cholesky, choleskySolve } from "../numeric/dense.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/** The answers of one scenario with what its factors say of them. */
interface FactoredAnswers {
  readonly factors: AnchorFactors;
  /** Aligned with the factors' rows; NaN = no answer. */
  readonly scores: ArrayLike<number>;
}

/**
 * A model's factors by its answers, û = (I + Σ zzᵀ/d)⁻¹ Σ z(y−μ)/d over all answers, under {@link AnchorFactors}.
 * Answers of several scenarios count together where their factors are the same. What is unanswered is left out exactly.
 * @param parts - one a scenario
 * @param factor - Cholesky's L of the posterior precision I + Σ zzᵀ/d of the same answers, where it is known
 * @returns the posterior mean of u, Q
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorScores(
  parts: readonly FactoredAnswers[],
  factor: Float64Array = factorOf(factorPrecision(parts)),
): Float64Array {
  const { rank } = parts[0]!.factors;
  const slope = new Float64Array(rank);
  for (const { factors, scores } of parts) {
    const { mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      const scaled = (scores[row]! - mean[row]!) / noise[row]!;
      if (Number.isNaN(scaled)) continue;
      for (let r = 0; r < rank; r++) slope[r] = slope[r]! + scaled * loadings[row * rank + r]!;
    }
  }
  return choleskySolve(factor, rank, slope);
}

/** Cholesky's L of a posterior precision: I plus a Gram matrix is positive definite. */
function factorOf(precision: Float64Array): Float64Array {
  return cholesky(precision, Math.sqrt(precision.length))!;
}

/**
 * The posterior precision of a model's factors, I + Σ zzᵀ/d. It depends on which items were answered, not on how: models
 * that answered the same ones share it.
 * @returns Q×Q row-major, the lower triangle alone
 */
function factorPrecision(parts: readonly FactoredAnswers[]): Float64Array {
  const { rank } = parts[0]!.factors;
  const identity = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) identity[r * rank + r] = 1;
  return plusInformation(identity, parts, (score) => !Number.isNaN(score), 1);
}

/** A precision plus sign·Σ zzᵀ/d over the rows whose scores count, in the lower triangle. */
function plusInformation(
  start: Float64Array,
  parts: readonly FactoredAnswers[],
  counts: (score: number) => boolean,
  sign: 1 | -1,
): Float64Array {
  const precision = start.slice();
  for (const { factors, scores } of parts) {
    const { rank, mean, loadings, noise } = factors;
    for (let row = 0; row < mean.length; row++) {
      if (!counts(scores[row]!)) continue;
      for (let r = 0; r < rank; r++) {
        const scaled = (sign * loadings[row * rank + r]!) / noise[row]!;
        for (let c = 0; c <= r; c++)
          precision[r * rank + c] = precision[r * rank + c]! + scaled * loadings[row * rank + c]!;
      }
    }
  }
  return precision;
}

/** û of a model from its scores, aligned with the parts' rows; NaN = no answer. */
type FactorSolver = (scores: readonly ArrayLike<number>[]) => Float64Array;

/**
 * {@link factorScores} of many models from answers to the same anchors. What follows from the anchors alone is solved
 * once, with the first model: for one that answered them all a product is left, for others the rows without an answer
 * are taken out.
 * @param parts - factors of one scenario's anchors, or of several scenarios' where they are the same
 */
export function factorSolver(parts: readonly AnchorFactors[]): FactorSolver {
  let whole: { readonly precision: Float64Array; readonly factor: Float64Array } | undefined;
  return (scores) => {
    const answers = parts.map((factors, k) => ({ factors, scores: scores[k]! }));
    if (whole === undefined) {
      const precision = factorPrecision(parts.map((factors) => ({ factors, scores: factors.mean.map(() => 0) })));
      whole = { precision, factor: factorOf(precision) };
    }
    const { precision, factor } = whole;
    // Fewer rows are without an answer than with one: those are taken out.
    const missing = scores.some(hasMissing);
    return factorScores(answers, missing ? factorOf(plusInformation(precision, answers, Number.isNaN, -1)) : factor);
  };
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
 * @param scores - û of the model, from these answers at least ({@link factorScores})
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

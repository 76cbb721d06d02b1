import { cholesky, choleskySolve } from "../numeric/dense.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/** The answers of one scenario with what its factors say of them. */
export interface FactoredAnswers {
  readonly factors: AnchorFactors;
  /** Aligned with the factors' rows; NaN = no answer. */
  readonly scores: ArrayLike<number>;
}

/**
 * What answers say of a model's factors, û = (I + Σ zzᵀ/d)⁻¹ Σ z(y−μ)/d over all answers, under {@link AnchorFactors}.
 * Answers of several scenarios count together where their factors are the same. What is unanswered is left out exactly.
 * @param parts - one a scenario
 * @param factor - Cholesky's L of the posterior precision I + Σ zzᵀ/d of the same answers, where it is known
 * @returns the posterior mean of u, Q
 * @see Thomson (1951), The Factorial Analysis of Human Ability (regression method)
 */
export function factorScores(
  parts: readonly FactoredAnswers[],
  factor: Float64Array = precisionFactor(parts),
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

/**
 * What {@link factorScores} solves by, L of LLᵀ = I + Σ zzᵀ/d. It depends on which items were answered, not on how: models
 * that answered the same ones share it.
 * @param precision - {@link factorPrecision} of the same answers, where it is known
 */
function precisionFactor(
  parts: readonly FactoredAnswers[],
  precision: Float64Array = factorPrecision(parts),
): Float64Array {
  return cholesky(precision, parts[0]!.factors.rank)!; // I plus a Gram matrix is positive definite
}

/**
 * The posterior precision of a model's factors, I + Σ zzᵀ/d. It depends on which items were answered, not on how.
 * @returns Q×Q row-major, the lower triangle alone
 */
function factorPrecision(parts: readonly FactoredAnswers[]): Float64Array {
  const { rank } = parts[0]!.factors;
  const precision = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) precision[r * rank + r] = 1;
  addInformation(precision, parts, (score) => !Number.isNaN(score), 1);
  return precision;
}

/**
 * {@link factorPrecision} of some answers from that of all items, without those that have none: cheaper where few are
 * missing.
 * @param whole - of the same parts with every item answered
 */
function precisionWithout(whole: Float64Array, parts: readonly FactoredAnswers[]): Float64Array {
  const precision = Float64Array.from(whole);
  addInformation(precision, parts, Number.isNaN, -1);
  return precision;
}

/** Adds sign·zzᵀ/d of the rows that count to the lower triangle. */
function addInformation(
  precision: Float64Array,
  parts: readonly FactoredAnswers[],
  counts: (score: number) => boolean,
  sign: number,
): void {
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
}

/** û of a model from its scores, aligned with the parts' rows; NaN = no answer. */
export type FactorSolver = (scores: readonly ArrayLike<number>[]) => Float64Array;

/**
 * {@link factorScores} of many models from answers to the same anchors. What follows from the anchors alone is solved
 * once, with the first model: for one that answered them all a product is left, for others the rows without an answer
 * are taken out.
 * @param parts - factors of one scenario's anchors, or of several scenarios' where they are the same
 */
export function factorSolver(parts: readonly AnchorFactors[]): FactorSolver {
  let solved: SolvedAnchors | null = null;
  return (scores) => {
    const { precision, factor } = (solved ??= solvedAnchors(parts));
    const answers = parts.map((factors, k) => ({ factors, scores: scores[k]! }));
    const missing = scores.some(hasMissing);
    return factorScores(answers, missing ? precisionFactor(answers, precisionWithout(precision, answers)) : factor);
  };
}

interface SolvedAnchors {
  readonly precision: ReturnType<typeof factorPrecision>;
  readonly factor: ReturnType<typeof precisionFactor>;
}

function solvedAnchors(parts: readonly AnchorFactors[]): SolvedAnchors {
  const whole = parts.map((factors) => ({ factors, scores: new Float64Array(factors.mean.length) }));
  const precision = factorPrecision(whole);
  return { precision, factor: precisionFactor(whole, precision) };
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
 * @returns not brought into [0,1]
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

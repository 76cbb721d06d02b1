import { cholesky, choleskySolve } from "../numeric/dense.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/** The estimators that regress on the source models' answers, for one set of answered anchors, whatever the answers. */
export type AnswerRegressions = ReturnType<typeof answerRegressions>;

/**
 * Both regressions, which share their normal equations. They depend only on which anchors were answered, so that models
 * that answered the same ones share them.
 * @param factors - of the source models' answers to the anchors, noise d = α/M and what the factors leave out
 * @param weights - item weights of the scenario, summing to 1
 * @param sample - the answered anchors, at least one
 */
export function answerRegressions(
  factors: AnchorFactors,
  weights: Float64Array,
  { items, positions, mass }: Pick<AnsweredSample, "items" | "positions" | "mass">,
) {
  const system = answerSystem(factors, positions);
  const sampleWeights = Float64Array.from(items, (item) => weights[item]!);
  return { ridgeGap: ridgeGap(system, mass), aipw: aipw(system, sampleWeights, mass) };
}

/** Normal equations of the regressions on the source models' answers, for some answered anchors, solved. */
interface AnswerSystem {
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
function answerSystem(factors: AnchorFactors, positions: Uint32Array): AnswerSystem {
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
function leverages({ size, features, precision, factor }: AnswerSystem): Float64Array {
  const solved = new Float64Array(size);
  return precision.map((value, j) => {
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
    return value * squared;
  });
}

/** Weights xᵀ·v/d of the answers in the linear functional whose solution is v. */
function answerWeights({ size, features, precision }: AnswerSystem, solution: Float64Array): Float64Array {
  return precision.map((value, j) => {
    let product = 0;
    for (let k = 0; k < solution.length; k++) product += features[j * size + k]! * solution[k]!;
    return value * product;
  });
}

/** A vector of all features less Σ weight·x over the answered anchors. */
function lessAnswered(
  { size, features }: AnswerSystem,
  vector: Float64Array,
  weights: ArrayLike<number>,
): Float64Array {
  const left = Float64Array.from(vector);
  for (let j = 0; j < weights.length; j++)
    for (let k = 0; k < size; k++) left[k] = left[k]! - weights[j]! * features[j * size + k]!;
  return left;
}

/**
 * `ridge-gap`: the anchor mean plus the gap to the full score that the answers predict, by ridge regression across the
 * source models of Σwy − Σ_A d·y on their answers to A: Σ_A d·y + Σwμ − Σ_A d·μ + (Σwz − Σ_A d·z)·û,
 * û = (I + Σ_A zzᵀ/d)⁻¹ Σ_A z(y−μ)/d, which over all answers is a constant and one weight each. Exact for any answers
 * that are missing: it is the regression on those that are there.
 * @param system - of the answered anchors
 * @param mass - their masses, summing to 1
 * @returns not clamped to [0,1]
 * @see Hoerl & Kennard (1970), Technometrics 12, 55–67; Zhang, Dorner & Hardt (2025), arXiv 2506.07673, regress the
 * full score itself
 */
function ridgeGap(system: AnswerSystem, mass: Float64Array): LinearScore {
  const { size, features, total, factor } = system;
  const rank = size - 2;
  const gap = lessAnswered(system, total, mass).subarray(0, rank);
  const leading = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) leading.set(factor.subarray(r * size, r * size + rank), r * rank);
  const gapWeights = answerWeights(system, choleskySolve(leading, rank, gap));
  const weights = mass.map((share, j) => share + gapWeights[j]!);
  return {
    constant: weights.reduce((rest, weight, j) => rest - weight * features[j * size + rank]!, total[rank]!),
    weights,
  };
}

/**
 * `aipw`, augmented inverse probability weighting: ridge regression across the items, of the model's answers on the
 * source models' answers to the same items, predicts the items U that weren't answered, and the answers' residuals
 * correct it, each from a regression that was fitted without that answer:
 * Σ_A w·y + Σ_A d_j·(Σ_U w·ŷ⁽⁻ʲ⁾ + Σ_U w·(y_j − ŷ_j⁽⁻ʲ⁾)).
 * For items drawn with even chances its mean over the draws is the full score, whatever the regression. An item's
 * features are (z, μ), the sources' answers to it but for a rotation; the intercept isn't penalised. Of one answer it is
 * that answer. The weights of the answers sum to 1: constant 0.
 *
 * Residuals of the regression on all answers sum to zero by its intercept, so that with them there is no correction.
 * Leaving out is in closed form: with an answer's leverage h on its own prediction and k on Σ_U w·ŷ,
 * y_j − ŷ_j⁽⁻ʲ⁾ = (y_j − ŷ_j)/(1 − h) and Σ_U w·ŷ⁽⁻ʲ⁾ = Σ_U w·ŷ − k·(y_j − ŷ_j)/(1 − h).
 * @param system - of the answered anchors
 * @param weights - their item weights
 * @param mass - their masses, summing to 1
 * @returns not clamped to [0,1]
 * @see Zhang, Dorner & Hardt (2025), arXiv 2506.07673 (α = 10; residuals of the regression on all answers); Wu &
 * Gagnon-Bartsch (2018), Evaluation Review 42, 458–488 (leaving each out)
 */
function aipw(system: AnswerSystem, weights: Float64Array, mass: Float64Array): LinearScore {
  const { size, total, factor } = system;
  if (mass.length === 1) return { constant: 0, weights: Float64Array.of(1) };
  const rest = lessAnswered(system, total, weights); // Σ_U w·x
  const unseen = rest[size - 1]!; // of the intercept: Σ_U w
  const imputed = answerWeights(system, choleskySolve(factor, size, rest)); // k: Σ_U w·ŷ in terms of y
  const leverage = leverages(system);
  const corrected = mass.map((share, j) => (share * (unseen - imputed[j]!)) / (1 - leverage[j]!));
  // Σ corrected·(y − ŷ) in terms of y.
  const turned = lessAnswered(system, new Float64Array(size), corrected);
  const back = answerWeights(system, choleskySolve(factor, size, turned));
  return { constant: 0, weights: weights.map((weight, j) => weight + imputed[j]! + corrected[j]! + back[j]!) };
}

/** A score that is linear in the answers: constant + Σ weights·y. */
export interface LinearScore {
  readonly constant: number;
  /** One an answer; may be negative. */
  readonly weights: Float64Array;
}

/** constant + Σ weights·y. @param scores - y, aligned with the weights */
export function linearScore({ constant, weights }: LinearScore, scores: ArrayLike<number>): number {
  let score = constant;
  for (let j = 0; j < weights.length; j++) score += weights[j]! * scores[j]!;
  return score;
}

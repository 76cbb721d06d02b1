import { choleskySolve } from "../numeric/dense.ts";
import { answerWeights, lessAnswered, leverages, type AnswerSystem } from "./answer-system.ts";
import type { LinearScore } from "./linear-score.ts";

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
 * @returns not brought into [0,1]
 * @see Zhang, Dorner & Hardt (2025), arXiv 2506.07673 (α = 10; residuals of the regression on all answers); Wu &
 * Gagnon-Bartsch (2018), Evaluation Review 42, 458–488 (leaving each out)
 */
export function aipw(system: AnswerSystem, weights: Float64Array, mass: Float64Array): LinearScore {
  const { size, total, factor } = system;
  if (mass.length === 1) return { constant: 0, weights: Float64Array.of(1) };
  const rest = lessAnswered(system, total, weights); // Σ_U w·x
  const unseen = rest[size - 1]!; // of the intercept: Σ_U w
  const imputed = answerWeights(system, choleskySolve(factor, size, rest)); // k: Σ_U w·ŷ in terms of y
  const leverage = leverages(system);
  const corrected = mass.map((own, j) => (own * (unseen - imputed[j]!)) / (1 - leverage[j]!));
  // Σ corrected·(y − ŷ) in terms of y.
  const turned = lessAnswered(system, new Float64Array(size), corrected);
  const back = answerWeights(system, choleskySolve(factor, size, turned));
  return { constant: 0, weights: weights.map((own, j) => own + imputed[j]! + corrected[j]! + back[j]!) };
}

import { choleskySolve } from "../numeric/dense.ts";
import { answerWeights, lessAnswered, type AnswerSystem } from "./answer-system.ts";
import type { LinearScore } from "./linear-score.ts";

/**
 * `ridge-gap`: the anchor mean plus the gap to the full score that the answers foretell, by ridge regression across the
 * source models of Σwy − Σ_A d·y on their answers to A: Σ_A d·y + Σwμ − Σ_A d·μ + (Σwz − Σ_A d·z)·û,
 * û = (I + Σ_A zzᵀ/d)⁻¹ Σ_A z(y−μ)/d, which over all answers is a constant and one weight each. Exact for any answers
 * that are missing: it is the regression on those that are there.
 * @param system - of the answered anchors
 * @param mass - their masses, summing to 1
 * @returns not brought into [0,1]
 * @see Hoerl & Kennard (1970), Technometrics 12, 55–67; Zhang, Dorner & Hardt (2025), arXiv 2506.07673, regress the
 * full score itself
 */
export function ridgeGap(system: AnswerSystem, mass: Float64Array): LinearScore {
  const { size, features, total, factor } = system;
  const rank = size - 2;
  const gap = lessAnswered(system, total, mass).subarray(0, rank);
  const leading = new Float64Array(rank * rank);
  for (let r = 0; r < rank; r++) leading.set(factor.subarray(r * size, r * size + rank), r * rank);
  const foretold = answerWeights(system, choleskySolve(leading, rank, gap));
  const weights = mass.map((own, j) => own + foretold[j]!);
  return {
    constant: weights.reduce((rest, weight, j) => rest - weight * features[j * size + rank]!, total[rank]!),
    weights,
  };
}

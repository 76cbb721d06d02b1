import type { AbilityEstimate, ScoredItems } from "../ability/types.ts";
import type { ItemBank } from "../irt/types.ts";
import { answerCurves, type AnswerCurves } from "./answer-curves.ts";

/** A variance below this is none. */
const NO_VARIANCE = 1e-12;

/**
 * Person fit lz*, the standardised log-likelihood of an answer pattern corrected for the estimated ability, for the
 * posterior mode in any number of dimensions: W/√V with
 *
 * W = Σ (y−P)·w̃,  V = Σ PQ·w̃²,  w̃ = log(P/Q) − s·cᵀa,  s = P′/(PQ),  c = Cov(θ̂)·Σ P′·log(P/Q)·a.
 *
 * Without c it is lz, whose variance supposes that θ is known. With Cov(θ̂) = I⁻¹ c is Snijders's; here it is the
 * posterior's (I + Λ)⁻¹, so that c is finite where the answers are fewer than the dimensions. All that informs θ̂ besides
 * these answers, the prior or other scenarios' answers, is what W's expectation is corrected for: at the mode its pull
 * is −Σ (y−P)·s·a.
 *
 * Low: right and wrong answers are not where difficulty has them, as when they are guessed, or matched to the wrong
 * items. About N(0, 1) where the response model holds; it never quite does, so that thresholds are measured.
 * @param ability - posterior mode with its covariance
 * @param curves - of the answers, where they are known
 * @returns null where log(P/Q) is the same for all that the ability leaves, so that nothing can be out of order
 * @see Drasgow, Levine & Williams (1985), British Journal of Mathematical and Statistical Psychology 38, 67–86; Snijders
 * (2001), Psychometrika 66, 331–342; Magis, Raîche & Béland (2012), Journal of Educational and Behavioral Statistics 37,
 * 57–81 (MAP)
 * @example lzStar(bank, mapAbility(bank, { items: [0, 1], scores: [1, 0] }, prior), { items: [0, 1], scores: [1, 0] }) // null
 */
export function lzStar(
  bank: ItemBank,
  { theta, covariance }: Pick<AbilityEstimate, "theta" | "covariance">,
  answers: ScoredItems,
  { p, q, slope }: AnswerCurves = answerCurves(bank, theta, answers),
): number | null {
  const { dims, a } = bank;
  const { items, scores } = answers;
  const weights = p.map((own, j) => Math.log(own) - Math.log(q[j]!));
  const moments = new Float64Array(dims);
  for (let j = 0; j < items.length; j++) {
    const product = p[j]! * q[j]! * slope[j]! * weights[j]!;
    for (let d = 0; d < dims; d++) moments[d] = moments[d]! + product * a[items[j]! * dims + d]!;
  }
  const c = new Float64Array(dims);
  for (let r = 0; r < dims; r++) for (let s = 0; s < dims; s++) c[r] = c[r]! + covariance[r * dims + s]! * moments[s]!;
  let sum = 0;
  let variance = 0;
  for (let j = 0; j < items.length; j++) {
    let shift = 0;
    for (let d = 0; d < dims; d++) shift += c[d]! * a[items[j]! * dims + d]!;
    const weight = weights[j]! - slope[j]! * shift;
    sum += (scores[j]! - p[j]!) * weight;
    variance += p[j]! * q[j]! * weight * weight;
  }
  return variance > NO_VARIANCE ? sum / Math.sqrt(variance) : null;
}

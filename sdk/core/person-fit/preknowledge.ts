import type { ScoredItems } from "../ability/types.ts";
import type { FloatArray, ItemBank } from "../irt/types.ts";
import { answerCurves, type AnswerCurves } from "./answer-curves.ts";

/**
 * Share of memorised items for which the weights are best. Smaller ones rest on the few items that hardly anyone gets
 * right, where real models' lucky answers lie; larger ones find less in short forms (docs/decisions/0017).
 */
const SHARE = 0.3;

/**
 * Item preknowledge: how much more often than expected the model is right where it should be wrong,
 *
 * T = Σ (y−P)·w / √Σ PQ·w²,  w = 1/(κ + (1−κ)·P),  κ = .3.
 *
 * A model that knows a share κ of the items by heart is right with probability κ + (1−κ)·P; w is what the derivative of
 * that log-likelihood in κ weighs a right answer by: 1/κ times on an impossible item, once on a sure one. High: answers
 * that the ability doesn't account for, as when anchors were in the training data.
 *
 * θ̂ comes from the same answers, and is not corrected for: among real models the correction made the statistic vary more
 * and find less. So its variance is well below 1 where the response model holds; thresholds are measured.
 * @param curves - of the answers, where they are known
 * @returns null where no answer is in doubt (PQ = 0 throughout)
 * @see Levine & Drasgow (1988), Psychometrika 53, 161–176; Sinharay (2017), Journal of Educational and Behavioral
 * Statistics 42, 46–68
 * @example preknowledge(bank, Float64Array.of(0), { items: [0, 1, 2, 3], scores: [1, 1, 1, 1] }) // 2
 */
export function preknowledge(
  bank: ItemBank,
  theta: FloatArray,
  answers: ScoredItems,
  { p, q }: AnswerCurves = answerCurves(bank, theta, answers),
): number | null {
  let sum = 0;
  let variance = 0;
  for (let j = 0; j < p.length; j++) {
    const weight = 1 / (SHARE + (1 - SHARE) * p[j]!);
    sum += (answers.scores[j]! - p[j]!) * weight;
    variance += p[j]! * q[j]! * weight * weight;
  }
  return variance > 0 ? sum / Math.sqrt(variance) : null;
}

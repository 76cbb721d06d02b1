import type { ScoredItems } from "../ability/map.ts";
import { sigmoid } from "../numeric/functions.ts";
import type { AnswerCurves } from "./statistics.ts";

/**
 * Above this, in nats, answers don't follow difficulty: with 50 anchors about one honest model in a hundred lies above it,
 * of answers matched to the next item 7 in 10, dealt anew or flipped 8 in 10 (docs/decisions/intervals.md).
 */
export const MOST_DISORDER = 2;

/** Logits are cut here: a single answer says no more than e³⁰ against the response model. Chosen, not measured. */
const LARGEST_LOGIT = 30;

/** Halvings of the interval that the common shift of the logits is in, to .03: the shift has only to keep numbers in range. Chosen, not measured. */
const HALVINGS = 12;

/**
 * Disorder of an answer pattern: how much better its arrangement is explained if right and wrong had nothing to do with the
 * items than by the response model, both given the number of right answers k of n,
 *
 * log 1/C(n,k) − log ∏ e^(z·y) / γ_k(e^z),  z = log(P/Q),
 *
 * γ_k the elementary symmetric function: the sum over all arrangements of k right answers. High where answers are guessed,
 * or matched to the wrong items; about −n times what an answer tells of its item where they are in order, and 0 where all
 * answers are alike. Given k the ability is no matter, and by Markov's inequality a model that answers by its curves
 * exceeds t with a probability of e^(−t) at most: so a fixed threshold serves, where there are too few models to measure one.
 * @param curves - of the answers, at the ability that they gave
 * @param answers - right from ½ on
 * @returns in nats
 * @see Andersen (1970), Journal of the Royal Statistical Society B 32, 283–301 (conditional likelihood)
 * @example disorder({ scores: [1, 0] }, { p: Float64Array.of(0.9, 0.1), q: Float64Array.of(0.1, 0.9) }) // ≈ -0.681
 */
export function disorder({ scores }: Pick<ScoredItems, "scores">, { p, q }: Pick<AnswerCurves, "p" | "q">): number {
  const n = p.length;
  const rounded = Uint8Array.from(scores, (score) => Number(score >= 0.5));
  const right = rounded.reduce((sum, score) => sum + score, 0);
  if (right === 0 || right === n) return 0;
  const logits = p.map((chance, j) => Math.min(LARGEST_LOGIT, Math.max(-LARGEST_LOGIT, Math.log(chance / q[j]!))));
  let arrangements = 0; // log C(n,k)
  for (let i = 1; i <= right; i++) arrangements += Math.log((n - right + i) / i);
  return -arrangements - logChance(logits, rounded, right);
}

/**
 * Log-probability of an arrangement given its number of right answers. A common shift of all logits leaves it as it is: with
 * the one at which so many are expected, the chance of that number is a sum of probabilities, and neither over- nor underflows.
 */
function logChance(logits: Float64Array, scores: ArrayLike<number>, right: number): number {
  let [low, high] = [-2 * LARGEST_LOGIT, 2 * LARGEST_LOGIT];
  for (let k = 0; k < HALVINGS; k++) {
    const shift = (low + high) / 2;
    let expected = 0;
    for (const z of logits) expected += sigmoid(z + shift);
    if (expected < right) low = shift;
    else high = shift;
  }
  const shift = (low + high) / 2;
  let logarithm = 0;
  const chances = new Float64Array(right + 1); // of so many right answers among those up to j
  chances[0] = 1;
  for (let j = 0; j < logits.length; j++) {
    const [p, q] = [sigmoid(logits[j]! + shift), sigmoid(-logits[j]! - shift)];
    logarithm += Math.log(scores[j] === 1 ? p : q);
    for (let i = Math.min(j + 1, right); i > 0; i--) chances[i] = chances[i]! * q + chances[i - 1]! * p;
    chances[0] = chances[0] * q;
  }
  return logarithm - Math.log(chances[right]!);
}

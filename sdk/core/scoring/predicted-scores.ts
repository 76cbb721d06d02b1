import { itemResponses } from "../irt/response.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";
import { applyMonotoneMap, type MonotoneMap } from "../numeric/functions.ts";

/**
 * Predicted scores p̂ of every item at θ: the response probability, mapped to the score's scale where the fit was
 * made on binarised scores.
 */
export function predictedScores(theta: FloatArray, bank: ItemBank, scoreMap: MonotoneMap | null): Float64Array {
  const p = itemResponses(theta, bank);
  return onScale(p, scoreMap, p);
}

/**
 * Predicted scores p̂ of response probabilities.
 * @param out - filled and returned, where there is a map; else the probabilities are
 */
export function onScale(p: Float64Array, scoreMap: MonotoneMap | null, out?: Float64Array): Float64Array {
  if (scoreMap === null) return p;
  const mapped = out ?? new Float64Array(p.length);
  for (let i = 0; i < p.length; i++) mapped[i] = applyMonotoneMap(scoreMap, p[i]!);
  return mapped;
}

/** Sums over a bank's items at an ability, as {@link expectedScore}'s without a score map; null where it has none of such a bank. */
export type BankSums = (
  theta: FloatArray,
  bank: ItemBank,
  weights: Float64Array,
) => { readonly score: number; readonly spread: number } | null;

let faster: BankSums = () => null;

/** Has the sums taken by something faster, which gives the same numbers to the last bit. */
export function takeSumsBy(sums: BankSums): void {
  faster = sums;
}

/** So many items in a row are at hand at once. Chosen, not measured. */
const BLOCK = 256;
const block = /* @__PURE__ */ new Float64Array(BLOCK);

/**
 * Sums over all items at θ. Most of an estimate's time goes here, so no p̂ is kept.
 * @param weights - of the items, summing to 1
 * @returns the full score that θ lets expect, Σ w·p̂, in [0,1] up to rounding; and its spread, Σ w·p̂(1−p̂)
 */
export function expectedScore(
  theta: FloatArray,
  bank: ItemBank,
  weights: Float64Array,
  scoreMap: MonotoneMap | null,
): { readonly score: number; readonly spread: number } {
  const sums = scoreMap === null ? faster(theta, bank, weights) : null;
  if (sums !== null) return sums;
  let [score, spread] = [0, 0];
  for (let begin = 0; begin < bank.count; begin += BLOCK) {
    const end = Math.min(bank.count, begin + BLOCK);
    const predicted = onScale(itemResponses(theta, bank, block, begin), scoreMap, block);
    for (let i = begin; i < end; i++) {
      const p = predicted[i - begin]!;
      const expected = weights[i]! * p;
      score += expected;
      spread += expected * (1 - p);
    }
  }
  return { score, spread };
}

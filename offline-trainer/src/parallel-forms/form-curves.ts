import { itemBank, itemInformation, predictedScores } from "anchoreval/core";
import type { AnsweredItems } from "./difficulty.ts";

/**
 * Expected score of some items as a function of ability: the mean predicted score of those that have a curve (the test
 * characteristic curve over their number); NaN where none has.
 * @param items - indices into the pool, ascending
 * @param abilities - on the scale of the one-dimensional bank
 */
export function expectedScores(
  answered: AnsweredItems,
  items: ArrayLike<number>,
  abilities: Float64Array,
): Float64Array {
  const known = answeredAmong(answered, items);
  if (known.length === 0) return abilities.map(() => NaN);
  const { a, b } = answered.bank;
  const own = itemBank(
    Float64Array.from(known, (k) => a[k]!),
    Float64Array.from(known, (k) => b[k]!),
  );
  return abilities.map((theta) => {
    const predicted = predictedScores(Float64Array.of(theta), own, answered.scoreMap);
    return predicted.reduce((sum, score) => sum + score, 0) / known.length;
  });
}

/** Mean Fisher information of those items that have a curve; times their number it is the test information. */
export function meanInformation(
  answered: AnsweredItems,
  items: ArrayLike<number>,
  abilities: Float64Array,
): Float64Array {
  const known = answeredAmong(answered, items);
  return abilities.map((theta) => {
    const at = Float64Array.of(theta);
    return meanOver(known, (k) => itemInformation(at, answered.bank, k));
  });
}

/**
 * Variance of a model's score on these items about what its abilities lead to expect, from the response model in all its
 * dimensions: Σ(P(1−P) + what the components leave of the curve)/n², on average over the models.
 */
export function chanceVariance(answered: AnsweredItems, items: ArrayLike<number>): number {
  const known = answeredAmong(answered, items);
  return meanOver(known, (k) => answered.curves.noise[k]!) / known.length;
}

/** Places in the bank of those items that are in it. */
export function answeredAmong({ items: answered }: AnsweredItems, items: ArrayLike<number>): Uint32Array {
  const known: number[] = [];
  for (let at = 0, k = 0; at < items.length; at++) {
    while (k < answered.length && answered[k]! < items[at]!) k++;
    if (k < answered.length && answered[k] === items[at]) known.push(k);
  }
  return Uint32Array.from(known);
}

function meanOver(known: Uint32Array, of: (k: number) => number): number {
  let sum = 0;
  for (const k of known) sum += of(k);
  return sum / known.length;
}

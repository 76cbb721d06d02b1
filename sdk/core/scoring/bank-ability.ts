import { type AbilityEstimate, mapAbility, type ScoredItems } from "../ability/map.ts";
import type { AbilityPrior } from "../ability/prior.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";

/** Items of a bank with aligned scores; NaN = no answer. */
interface AnsweredItems extends ScoredItems {
  readonly bank: ItemBank;
}

/**
 * The ability that the answers to a scenario's items tell of: the posterior mode.
 * @returns null where there is no answer
 */
export function bankAbility(answered: AnsweredItems, prior: AbilityPrior): AbilityEstimate | null {
  const gathered = gatherItems(answered);
  return gathered && mapAbility(gathered.bank, gathered, prior);
}

/**
 * The answered items as one small bank.
 * @returns bank, indices 0…n−1 and scores; null where nothing was answered
 */
export function gatherItems({
  bank,
  items,
  scores,
}: AnsweredItems): { bank: ItemBank; items: Uint32Array; scores: Float64Array } | null {
  let count = 0;
  for (let j = 0; j < items.length; j++) if (!Number.isNaN(scores[j]!)) count++;
  if (count === 0) return null;
  const { dims } = bank;
  const answered = { items: new Uint32Array(count), scores: new Float64Array(count) };
  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  const lower = bank.lower && new Float64Array(count);
  const upper = bank.upper && new Float64Array(count);
  for (let j = 0, at = 0; j < items.length; j++) {
    if (Number.isNaN(scores[j]!)) continue;
    const item = items[j]!;
    answered.items[at] = at;
    answered.scores[at] = scores[j]!;
    for (let d = 0; d < dims; d++) a[at * dims + d] = bank.a[item * dims + d]!;
    b[at] = bank.b[item]!;
    if (lower) lower[at] = bank.lower[item]!;
    if (upper) upper[at] = bank.upper[item]!;
    at++;
  }
  const asymptote = (values: Float64Array | null, trivial: number): FloatArray | null =>
    values?.every((value) => value === trivial) ? null : values;
  return { bank: { count, dims, a, b, lower: asymptote(lower, 0), upper: asymptote(upper, 1) }, ...answered };
}

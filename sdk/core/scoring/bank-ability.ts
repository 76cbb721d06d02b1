import { type AbilityEstimate, mapAbility, type ScoredItems } from "../ability/map.ts";
import type { AbilityPrior } from "../ability/prior.ts";
import type { FloatArray, ItemBank } from "../irt/item-bank.ts";

/**
 * One ability for all scenarios of a bank, from every answer to their items: the posterior mode.
 * @returns null where there is no answer
 */
export function bankAbility(parts: readonly AnsweredPart[], prior: AbilityPrior): AbilityEstimate | null {
  const gathered = gatherItems(parts);
  return gathered && mapAbility(gathered.bank, gathered, prior);
}

/** A scenario's items with aligned scores; NaN = no answer. */
interface AnsweredPart extends ScoredItems {
  readonly bank: ItemBank;
}

/**
 * The answered items of several scenarios that share an ability, as one small bank.
 * @returns bank, indices 0…n−1 and scores; null where nothing was answered
 */
export function gatherItems(
  parts: readonly AnsweredPart[],
): { bank: ItemBank; items: Uint32Array; scores: Float64Array } | null {
  let count = 0;
  for (const { items, scores } of parts) for (let j = 0; j < items.length; j++) if (!Number.isNaN(scores[j]!)) count++;
  if (count === 0) return null;
  const { dims } = parts[0]!.bank;
  const items = new Uint32Array(count);
  const scores = new Float64Array(count);
  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  const lower = parts.some(({ bank }) => bank.lower !== null) ? new Float64Array(count) : null;
  const upper = parts.some(({ bank }) => bank.upper !== null) ? new Float64Array(count) : null;
  let at = 0;
  for (const part of parts)
    for (let j = 0; j < part.items.length; j++) {
      if (Number.isNaN(part.scores[j]!)) continue;
      const item = part.items[j]!;
      items[at] = at;
      scores[at] = part.scores[j]!;
      for (let d = 0; d < dims; d++) a[at * dims + d] = part.bank.a[item * dims + d]!;
      b[at] = part.bank.b[item]!;
      if (lower) lower[at] = part.bank.lower?.[item] ?? 0;
      if (upper) upper[at] = part.bank.upper?.[item] ?? 1;
      at++;
    }
  const asymptote = (values: Float64Array | null, trivial: number): FloatArray | null =>
    values?.every((value) => value === trivial) ? null : values;
  return { bank: { count, dims, a, b, lower: asymptote(lower, 0), upper: asymptote(upper, 1) }, items, scores };
}

import type { FloatArray, ItemBank } from "../irt/types.ts";

/** A scenario's items with aligned scores; NaN = no answer. */
export interface AnsweredPart {
  readonly bank: ItemBank;
  readonly items: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

/**
 * The answered items of several scenarios that share an ability, as one small bank.
 * @param parts - each with its anchors' indices and aligned scores; NaN = no answer
 * @returns bank, indices 0…n−1 and scores; null where nothing was answered
 */
export function gatherItems(
  parts: readonly AnsweredPart[],
): { bank: ItemBank; items: Uint32Array; scores: Float64Array } | null {
  const dims = parts[0]!.bank.dims;
  const scores: number[] = [];
  const a: number[] = [];
  const b: number[] = [];
  const lower: number[] = [];
  const upper: number[] = [];
  for (const part of parts)
    for (let j = 0; j < part.items.length; j++) {
      const score = part.scores[j]!;
      if (Number.isNaN(score)) continue;
      const item = part.items[j]!;
      scores.push(score);
      for (let d = 0; d < dims; d++) a.push(part.bank.a[item * dims + d]!);
      b.push(part.bank.b[item]!);
      lower.push(part.bank.lower?.[item] ?? 0);
      upper.push(part.bank.upper?.[item] ?? 1);
    }
  if (scores.length === 0) return null;
  const asymptote = (values: number[], trivial: number): FloatArray | null =>
    values.every((value) => value === trivial) ? null : Float64Array.from(values);
  return {
    bank: {
      count: scores.length,
      dims,
      a: Float64Array.from(a),
      b: Float64Array.from(b),
      lower: asymptote(lower, 0),
      upper: asymptote(upper, 1),
    },
    items: Uint32Array.from(scores, (_, j) => j),
    scores: Float64Array.from(scores),
  };
}

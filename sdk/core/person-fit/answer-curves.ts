import type { ScoredItems } from "../ability/types.ts";
import { itemLogit } from "../irt/item-response.ts";
import type { FloatArray, ItemBank } from "../irt/types.ts";
import { sigmoid } from "../numeric/sigmoid.ts";

/** What the response model expects of each answer, in the answers' order. */
export interface AnswerCurves {
  /** P of each item. */
  readonly p: Float64Array;
  /** Q = 1 − P, not formed by subtraction. */
  readonly q: Float64Array;
  /** P′/(PQ), P′ by the logit: 1 without asymptotes. An answer's score in θ is (y − P)·P′/(PQ)·a. */
  readonly slope: Float64Array;
}

/** Curves of the answered items at θ. */
export function answerCurves(bank: ItemBank, theta: FloatArray, { items }: ScoredItems): AnswerCurves {
  const p = new Float64Array(items.length);
  const q = new Float64Array(items.length);
  const slope = new Float64Array(items.length).fill(1);
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    const z = itemLogit(theta, bank, item);
    const lower = bank.lower?.[item] ?? 0;
    const upper = bank.upper?.[item] ?? 1;
    const range = upper - lower;
    const s = sigmoid(z);
    const t = sigmoid(-z);
    p[j] = lower + range * s;
    q[j] = 1 - upper + range * t;
    // The factor that vanishes in a tail cancels where its asymptote is trivial.
    if (lower > 0 || upper < 1)
      slope[j] = upper === 1 ? s / p[j]! : lower === 0 ? t / q[j]! : (range * s * t) / (p[j]! * q[j]!);
  }
  return { p, q, slope };
}

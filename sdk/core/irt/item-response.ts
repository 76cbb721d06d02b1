import { sigmoid } from "../numeric/sigmoid.ts";
import { sigmoids } from "../numeric/sigmoids.ts";
import type { FloatArray, ItemBank } from "./types.ts";

/**
 * Logit of one item, z = Σ_d a_d·θ_d − b.
 * @param theta - ability, length D, on the bank's scale
 * @param bank - item parameters
 * @param item - index of the item, 0 ≤ item < N
 * @example itemLogit(Float64Array.of(1), bank, 0) // a − b for a one-dimensional bank
 */
export function itemLogit(theta: FloatArray, bank: ItemBank, item: number): number {
  const { dims, a } = bank;
  let z = -bank.b[item]!;
  const start = item * dims;
  for (let d = 0; d < dims; d++) z += a[start + d]! * theta[d]!;
  return z;
}

/**
 * Probability of a right answer, P = lower + (upper − lower)·σ(z) (Reckase 2009, Multidimensional IRT, ch. 4).
 * @returns a probability in [lower, upper]; non-decreasing in θ_d where a_d > 0; NaN where an input is NaN.
 * @example itemResponse(Float64Array.of(0), bank, 0) // 0.5 for a 2PL item with b = 0
 */
export function itemResponse(theta: FloatArray, bank: ItemBank, item: number): number {
  return withAsymptotes(sigmoid(itemLogit(theta, bank, item)), bank, item);
}

/** lower + (upper − lower)·s of one item. */
export function withAsymptotes(s: number, bank: ItemBank, item: number): number {
  if (bank.lower === null && bank.upper === null) return s;
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  return lower + (upper - lower) * s;
}

/**
 * {@link itemLogit} of every item of the bank, or of some in a row, four at a time: an addition needn't wait for the one
 * before.
 * @param out - filled and returned: logits of the items `begin`, `begin` + 1, …, as many as it and the bank have
 */
export function itemLogits(
  theta: FloatArray,
  bank: ItemBank,
  out: Float64Array = new Float64Array(bank.count),
  begin = 0,
): Float64Array {
  const { dims, a, b } = bank;
  const end = Math.min(bank.count, begin + out.length);
  let i = begin;
  for (; i + 3 < end; i += 4) {
    let z1 = -b[i]!;
    let z2 = -b[i + 1]!;
    let z3 = -b[i + 2]!;
    let z4 = -b[i + 3]!;
    const start = i * dims;
    for (let d = 0; d < dims; d++) {
      const own = theta[d]!;
      z1 += a[start + d]! * own;
      z2 += a[start + dims + d]! * own;
      z3 += a[start + 2 * dims + d]! * own;
      z4 += a[start + 3 * dims + d]! * own;
    }
    const at = i - begin;
    out[at] = z1;
    out[at + 1] = z2;
    out[at + 2] = z3;
    out[at + 3] = z4;
  }
  for (; i < end; i++) out[i - begin] = itemLogit(theta, bank, i);
  return out;
}

/**
 * {@link itemResponse} of every item of the bank, or of some in a row.
 * @param out - filled and returned: of the items `begin`, `begin` + 1, …, as many as it and the bank have
 */
export function itemResponses(
  theta: FloatArray,
  bank: ItemBank,
  out: Float64Array = new Float64Array(bank.count),
  begin = 0,
): Float64Array {
  const size = Math.min(bank.count - begin, out.length);
  sigmoids(itemLogits(theta, bank, out, begin), size);
  if (bank.lower === null && bank.upper === null) return out;
  for (let i = 0; i < size; i++) out[i] = withAsymptotes(out[i]!, bank, begin + i);
  return out;
}

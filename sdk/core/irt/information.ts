import { itemLogit } from "./item-response.ts";
import { responseDerivatives } from "./likelihood.ts";
import type { FloatArray, ItemBank } from "./types.ts";

/**
 * Fisher information of one item about its logit, P′(z)²/(P·Q).
 *
 * The information about θ is this number times a·aᵀ (D×D); for one dimension, a²·P′(z)²/(PQ), which for the
 * 4PL is a²(P−l)²(u−P)²/((u−l)²PQ).
 * @returns at least 0, in logit⁻²
 * @see Magis (2013), Applied Psychological Measurement 37, 304–315
 */
export function logitInformation(theta: FloatArray, bank: ItemBank, item: number): number {
  const out = { logLikelihood: 0, slope: 0, information: 0 };
  return responseDerivatives(itemLogit(theta, bank, item), 0, bank, item, out).information;
}

/**
 * Fisher information of one item at θ in the direction of steepest slope, ‖a‖²·P′(z)²/(PQ); in one dimension
 * the usual item information function.
 * @example itemInformation(Float64Array.of(0), bank, 0) // 0.25 for a 2PL item with a = 1, b = 0
 */
export function itemInformation(theta: FloatArray, bank: ItemBank, item: number): number {
  let norm = 0;
  for (let d = 0; d < bank.dims; d++) norm += bank.a[item * bank.dims + d]! ** 2;
  return norm * logitInformation(theta, bank, item);
}

/**
 * Test information Σ_i a_i·a_iᵀ·P′²/(PQ) over `items`, a D×D matrix (row-major).
 * @example testInformation(Float64Array.of(0), bank, [0, 1, 2])
 */
export function testInformation(theta: FloatArray, bank: ItemBank, items: ArrayLike<number>): Float64Array {
  const { dims, a } = bank;
  const matrix = new Float64Array(dims * dims);
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    const weight = logitInformation(theta, bank, item);
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        matrix[r * dims + c] = matrix[r * dims + c]! + weight * a[item * dims + r]! * a[item * dims + c]!;
  }
  return matrix;
}

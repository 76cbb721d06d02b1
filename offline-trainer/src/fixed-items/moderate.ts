import { chance } from "./drawn-answers.ts";
import type { PlacedItem } from "./place-item.ts";

/**
 * How far an item's uncertainty pulls chances towards one half, and the variance of its mean chance among the models.
 * v = xᵀCx for x = (θ, −1).
 */
export function moderation(
  { a, b, covariance }: PlacedItem,
  theta: Float64Array,
  known: Uint8Array,
): { scale: number; spread: number } {
  const dims = a.length;
  const width = dims + 1;
  let [models, mean, spread] = [0, 0, 0];
  for (let m = 0; m < known.length; m++) {
    if (!known[m]) continue;
    models++;
    const x = Float64Array.from({ length: width }, (_, d) => (d < dims ? theta[m * dims + d]! : -1));
    let variance = 0;
    for (let r = 0; r < width; r++)
      for (let c = 0; c < width; c++) variance += x[r]! * covariance[r * width + c]! * x[c]!;
    const p = chance(x.subarray(0, dims), a, b);
    mean += variance;
    spread += p * (1 - p) * Math.sqrt(variance); // of models together: errors of one item go the same way
  }
  return { scale: 1 / Math.sqrt(1 + (Math.PI / 8) * (mean / models)), spread: (spread / models) ** 2 };
}

import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";

/** log Σ eˣ without overflow. */
export function logSumExp(values: readonly number[]): number {
  const peak = Math.max(...values);
  return peak + Math.log(values.reduce((sum, value) => sum + Math.exp(value - peak), 0));
}

/**
 * Posterior mean and standard deviation of one ability, summed over an even grid of ±8 prior standard deviations: a
 * reference for searches and quadratures.
 */
export function gridPosterior(
  bank: ItemBank,
  { items, scores }: { readonly items: readonly number[]; readonly scores: readonly number[] },
  prior: { readonly mean: number; readonly sd: number },
  points = 4001,
): { mean: number; sd: number } {
  const grid = Array.from({ length: points }, (_, k) => prior.mean + prior.sd * ((16 * k) / (points - 1) - 8));
  const logs = grid.map((theta) => {
    let sum = -0.5 * ((theta - prior.mean) / prior.sd) ** 2;
    items.forEach((item, j) => {
      const p = itemResponse(Float64Array.of(theta), bank, item);
      const y = scores[j]!;
      sum += (y > 0 ? y * Math.log(p) : 0) + (y < 1 ? (1 - y) * Math.log1p(-p) : 0);
    });
    return sum;
  });
  const total = logSumExp(logs);
  const weights = logs.map((log) => Math.exp(log - total));
  const mean = grid.reduce((sum, theta, k) => sum + weights[k]! * theta, 0);
  return { mean, sd: Math.sqrt(grid.reduce((sum, theta, k) => sum + weights[k]! * (theta - mean) ** 2, 0)) };
}

/**
 * Standard error of a ratio of sums whose linearised residuals are given, clustered by target model: models are in
 * the targets of different numbers of seeds, so that their sums count, not their means.
 * @param models - the model of every residual
 * @param total - the sum below the line
 * @returns null for a single model
 * @see Cochran (1977), Sampling Techniques, ch. 9A (ratios of cluster totals)
 */
export function clusteredError(models: readonly number[], residuals: readonly number[], total: number): number | null {
  const sums = new Map<number, number>();
  models.forEach((model, k) => sums.set(model, (sums.get(model) ?? 0) + residuals[k]!));
  if (sums.size < 2) return null;
  let squares = 0;
  for (const sum of sums.values()) squares += sum * sum;
  return Math.sqrt((sums.size / (sums.size - 1)) * squares) / total;
}

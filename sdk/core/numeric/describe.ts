/** Σx, from the first value to the last. */
export function sum(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}

/** Arithmetic mean; NaN of no values. @example mean([1, 2, 6]) // 3 */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length;
}

/**
 * Mean of squared deviations from the mean, Σ(x − x̄)²/(n − `lost`).
 * @param lost - degrees of freedom that the mean took: 0 for a population's variance, 1 for a sample's
 * @example variance([1, 2, 6], 1) // 7
 */
export function variance(values: ArrayLike<number>, lost: 0 | 1): number {
  const centre = mean(values);
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += (values[i]! - centre) ** 2;
  return squares / (values.length - lost);
}

/**
 * Quantile with linear interpolation between order statistics (R's type 7, NumPy's default).
 * @param sorted - ascending, at least one
 * @param p - in [0,1]; ½ gives the median
 * @example quantile([1, 2, 4], 0.75) // 3
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const place = p * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (place - below) * (high - low);
}

/**
 * Wilson's score interval for a proportion, with any quantile and a fractional sample size.
 * @param p - observed proportion in [0,1]
 * @param n - (effective) sample size > 0
 * @param z - quantile of the pivot: normal, or Student's t where the variance was estimated
 * @see Wilson (1927), JASA 22, 209–212
 * @example wilsonInterval(0.5, 100, 1.96) // ≈ { low: 0.4038, high: 0.5962 }
 */
export function wilsonInterval(p: number, n: number, z: number): { low: number; high: number } {
  const square = (z * z) / n;
  const centre = (p + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((p * (1 - p)) / n + square / (4 * n));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

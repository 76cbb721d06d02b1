import { normalQuantile } from "anchoreval/core";

const REACH = normalQuantile(0.975);

/**
 * 95 % interval of a correlation by Fisher's transformation, tanh(artanh r ± 1.96/√(n − 3)).
 * @param r - correlation @param n - pairs that it is of
 * @returns NaN where r is NaN or there are fewer than four pairs
 * @see Fisher (1921), Metron 1, 3–32
 * @example correlationInterval(0, 103) // ≈ { low: -0.194, high: 0.194 }
 */
export function correlationInterval(r: number, n: number): { low: number; high: number } {
  if (!(n > 3)) return { low: NaN, high: NaN };
  const centre = Math.atanh(r);
  const reach = REACH / Math.sqrt(n - 3);
  return { low: Math.tanh(centre - reach), high: Math.tanh(centre + reach) };
}

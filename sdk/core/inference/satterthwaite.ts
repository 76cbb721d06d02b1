/** A variance with the degrees of freedom that it is known to; Infinity where nothing was drawn. */
export interface KnownVariance {
  readonly variance: number;
  readonly degrees: number;
}

/**
 * Variance of a weighted sum of independent parts, V = ΣW²V_s, with V²/Σ((W²V_s)²/ν_s) degrees of freedom.
 * @see Satterthwaite (1946), Biometrics Bulletin 2, 110–114
 */
export function satterthwaite(
  parts: readonly { readonly share: number; readonly sampling: KnownVariance }[],
): KnownVariance {
  let variance = 0;
  let spread = 0;
  for (const { share, sampling } of parts) {
    const own = share ** 2 * sampling.variance;
    variance += own;
    spread += own ** 2 / sampling.degrees;
  }
  return { variance, degrees: variance === 0 ? Infinity : variance ** 2 / spread };
}

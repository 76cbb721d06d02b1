/**
 * `gp-irt`: λ·anchor-mean + (1−λ)·p-irt.
 * @param lambda - λ in [0,1], learned on held-out source models
 * @see Maia Polo et al. (2024), tinyBenchmarks, eq. 4.2
 */
export function blendedMean(lambda: number, anchorMean: number, modelImputedMean: number): number {
  return lambda * anchorMean + (1 - lambda) * modelImputedMean;
}

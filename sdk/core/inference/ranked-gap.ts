import { normalQuantile } from "../numeric/normal.ts";

/**
 * The smallest true gap between two models that their estimates rank right with a given chance: z·SE, z the normal
 * quantile. At a share of 0.8 it is the "minimum detectable ability difference", MDAD.
 * @param standardError - of the paired difference, a fraction
 * @param share - chance of the right order, in (½,1)
 * @returns a fraction
 * @see arXiv 2510.08730
 * @example rankedGap(0.05, 0.8) // ≈ 0.0421
 */
export function rankedGap(standardError: number, share: number): number {
  return normalQuantile(share) * standardError;
}

import { higherOrderPrior, scaledPrior } from "../core/ability/prior.ts";
import type { AbilityPrior, HigherOrderPrior } from "../core/ability/prior.ts";
import type { BankManifest } from "../core/bundle/manifest.ts";

/** The prior of a bank's ability by itself. */
export function ownPrior({ prior: { mean, covariance, scale } }: BankManifest): AbilityPrior {
  return scaledPrior(Float64Array.from(mean), Float64Array.from(covariance), scale);
}

/** The one that links it to other banks'; null for a bank that isn't linked. */
export function linkedPrior({ prior: { mean, covariance, scale, loadings } }: BankManifest): HigherOrderPrior | null {
  if (loadings === undefined) return null;
  return higherOrderPrior(
    Float64Array.from(mean),
    Float64Array.from(covariance),
    scale,
    Float64Array.from(loadings),
    loadings.length / mean.length,
  );
}

import type { AbilityPrior } from "anchoreval/core";
import type { Scales } from "./scales.ts";
import type { Parameters } from "./types.ts";

/**
 * Adds −log prior, up to constants, and its gradient: θ by the prior, a_d ~ N(μ_d, σ_d²),
 * b ~ N(μ_b, σ_b²).
 * @param gradient - added to
 * @returns the value
 */
export function addPenalty(
  { theta, a, b }: Parameters,
  gradient: Parameters,
  { aMean, aVariance, bMean, bVariance }: Scales,
  { mean, precision }: AbilityPrior,
): number {
  const dims = aMean.length;
  let value = 0;
  for (let at = 0; at < theta.length; at += dims)
    for (let r = 0; r < dims; r++) {
      let slope = 0;
      for (let c = 0; c < dims; c++) slope += precision[r * dims + c]! * (theta[at + c]! - mean[c]!);
      value += 0.5 * slope * (theta[at + r]! - mean[r]!);
      gradient.theta[at + r] = gradient.theta[at + r]! + slope;
    }
  for (let k = 0; k < a.length; k++) {
    const d = k % dims;
    const gap = a[k]! - aMean[d]!;
    value += (0.5 * gap * gap) / aVariance[d]!;
    gradient.a[k] = gradient.a[k]! + gap / aVariance[d]!;
  }
  for (let k = 0; k < b.length; k++) {
    const gap = b[k]! - bMean;
    value += (0.5 * gap * gap) / bVariance;
    gradient.b[k] = gradient.b[k]! + gap / bVariance;
  }
  return value;
}

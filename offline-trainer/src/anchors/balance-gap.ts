import { cholesky } from "anchoreval/core";
import type { CurveFeatures } from "./curve-features.ts";

/**
 * How far a sample is from balance: δᵀCδ with δ = Σ_A (w/π)z / Σ_A (w/π) − Σ w·z, what the corrected mean
 * Σ w·p̂ + Σ_A (w/π)(y − p̂) / Σ_A (w/π) makes of an error in f, and C = (I + Σ π·zzᵀ/d)⁻¹, how well a sample of this
 * size knows f on average. It is the part of that estimator's variance that the choice of the sample can do away with.
 * It favours no item: a sample that misses to one side counts as one that misses to the other, so that rejection by it
 * hardly changes π.
 * @param weights - item weights w, summing to 1
 * @param inclusion - π of the proposals
 * @returns a function of a sample's items, in squared score; it doesn't allocate
 * @see Fuller (2009), Biometrika 96, 933–944; Deville & Tillé (2004), Biometrika 91, 893–912
 */
export function balanceGap(
  { count, width, loadings, noise }: CurveFeatures,
  weights: Float64Array,
  inclusion: Float64Array,
): (sample: ArrayLike<number>) => number {
  // With C = L⁻ᵀL⁻¹ the gap is the squared length of L⁻¹δ: that of the loadings L⁻¹z.
  const factor = cholesky(expectedPrecision(), width)!; // at least I: positive definite
  const placed = loadings.slice();
  const target = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    const at = i * width;
    for (let r = 0; r < width; r++) {
      let value = placed[at + r]!;
      for (let c = 0; c < r; c++) value -= factor[r * width + c]! * placed[at + c]!;
      placed[at + r] = value / factor[r * width + r]!;
      target[r]! += weights[i]! * placed[at + r]!;
    }
  }
  const mass = weights.map((weight, i) => weight / inclusion[i]!);
  const sum = new Float64Array(width);
  return (sample) => {
    sum.fill(0);
    let total = 0;
    for (let j = 0; j < sample.length; j++) {
      const own = mass[sample[j]!]!;
      const at = sample[j]! * width;
      total += own;
      for (let k = 0; k < width; k++) sum[k]! += own * placed[at + k]!;
    }
    let gap = 0;
    for (let k = 0; k < width; k++) gap += (sum[k]! / total - target[k]!) ** 2;
    return gap;
  };

  /** I + Σ π·zzᵀ/d; only its lower triangle is filled. */
  function expectedPrecision(): Float64Array {
    const precision = new Float64Array(width * width);
    for (let r = 0; r < width; r++) precision[r * width + r] = 1;
    for (let i = 0; i < count; i++)
      for (let r = 0; r < width; r++) {
        const scaled = (inclusion[i]! / noise[i]!) * loadings[i * width + r]!;
        for (let c = 0; c <= r; c++) precision[r * width + c]! += scaled * loadings[i * width + c]!;
      }
    return precision;
  }
}

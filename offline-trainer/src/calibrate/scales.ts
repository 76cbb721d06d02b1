import type { Parameters } from "./types.ts";

/** Means and variances of the hierarchical priors. */
export interface Scales {
  readonly aMean: Float64Array;
  readonly aVariance: Float64Array;
  readonly bMean: number;
  readonly bVariance: number;
}

/** Items that a prior guess of each variance counts for: keeps the scales of few items finite. */
const PRIOR_ITEMS = 5;
const PRIOR_A_VARIANCE = 0.25;
const PRIOR_B_VARIANCE = 4;

/**
 * Share of the learned variance of discriminations that is kept, by default. Abilities are estimated together with the items, which
 * inflates discriminations where models are few; fitted on weak models they then predict too little of strong ones.
 * Half costs nothing among like models and takes a third off p-irt's error on stronger ones
 * (docs/decisions/0003-shrunken-discriminations.md).
 */
export const DISCRIMINATION_SHRINKAGE = 0.5;

/** Where learning begins: weakly informative. */
export function initialScales(dims: number): Scales {
  return {
    aMean: Float64Array.from({ length: dims }, (_, d) => (d === 0 ? 0.8 : 0)),
    aVariance: new Float64Array(dims).fill(0.5),
    bMean: 0,
    bVariance: PRIOR_B_VARIANCE,
  };
}

/**
 * One empirical-Bayes step: means and variances of the items' parameters, each item's posterior variance (by the
 * diagonal of its expected information) added, so that uncertain items don't shrink the scale to nothing.
 * @param weight - Σ_m P(1−P) of every item, about
 * @param shrinkage - share of the discriminations' variance that is kept
 * @see MacKay (1992), Bayesian Interpolation, for the rule; Tipping (2001) for its use as relevance determination
 */
export function updateScales(
  { theta, a, b }: Parameters,
  dims: number,
  scales: Scales,
  weight: Float64Array,
  shrinkage = DISCRIMINATION_SHRINKAGE,
): Scales {
  const subjects = theta.length / dims;
  const items = b.length;
  const aMean = new Float64Array(dims);
  const aVariance = new Float64Array(dims);
  for (let d = 0; d < dims; d++) {
    let spread = 0;
    for (let m = 0; m < subjects; m++) spread += theta[m * dims + d]! ** 2 / subjects;
    let mean = 0;
    for (let i = 0; i < items; i++) mean += a[i * dims + d]! / items;
    let sum = PRIOR_ITEMS * PRIOR_A_VARIANCE;
    for (let i = 0; i < items; i++) {
      const posterior = 1 / (weight[i]! * spread + 1 / scales.aVariance[d]!);
      sum += (a[i * dims + d]! - mean) ** 2 + posterior;
    }
    aMean[d] = mean;
    aVariance[d] = (shrinkage * sum) / (items + PRIOR_ITEMS);
  }
  const bMean = b.reduce((sum, value) => sum + value, 0) / items;
  let sum = PRIOR_ITEMS * PRIOR_B_VARIANCE;
  for (let i = 0; i < items; i++) sum += (b[i]! - bMean) ** 2 + 1 / (weight[i]! + 1 / scales.bVariance);
  return { aMean, aVariance, bMean, bVariance: sum / (items + PRIOR_ITEMS) };
}

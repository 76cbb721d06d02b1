import { itemLogit } from "../irt/item-response.ts";
import { observedCurvature, responseDerivatives } from "../irt/likelihood.ts";
import type { ItemBank } from "../irt/types.ts";
import { cholesky } from "../numeric/cholesky.ts";
import type { ScoredItems } from "./types.ts";

/** Log posterior of one ability, Σ_j log P(y_j | θ) − ½(θ−μ)ᵀΛ(θ−μ), whose prior mean μ may move. */
export interface AbilityPosterior {
  readonly dims: number;
  /** Λ, D×D row-major. */
  readonly precision: Float64Array;
  /** Its value up to a constant. */
  readonly value: (theta: Float64Array, mean: Float64Array) => number;
  /**
   * Its gradient, which the next call writes over, and Cholesky factors of its negative second derivative; null where
   * that is no number.
   */
  readonly expand: (theta: Float64Array, mean: Float64Array) => PosteriorExpansion | null;
}

export interface PosteriorExpansion {
  readonly gradient: Float64Array;
  /** Factor of the expected curvature I(θ) + Λ, which is always positive definite. */
  readonly expected: Float64Array;
  /** Factor of the observed curvature; of the expected one where asymptotes make that indefinite. */
  readonly observed: Float64Array;
}

/**
 * The posterior of an ability given the answers to some items.
 * @param precision - Λ of the Gaussian prior, D×D row-major
 * @see Segall (1996), Psychometrika 61, 331–354
 */
export function abilityPosterior(
  bank: ItemBank,
  { items, scores }: ScoredItems,
  precision: Float64Array,
): AbilityPosterior {
  const { dims, a } = bank;
  const gradient = new Float64Array(dims);
  const hessian = new Float64Array(dims * dims);
  // Without asymptotes expected and observed information are the same.
  const curved = bank.lower !== null || bank.upper !== null;
  const observed = curved ? new Float64Array(dims * dims) : null;
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  // What the answers say at the ability looked at last: a search asks for the value first and then for its derivatives.
  const looked = new Float64Array(dims).fill(NaN);
  const slopes = new Float64Array(items.length);
  const informations = new Float64Array(items.length);
  let logLikelihood = NaN;
  const look = (theta: Float64Array): void => {
    if (looked.every((own, d) => own === theta[d])) return;
    looked.set(theta);
    logLikelihood = 0;
    for (let j = 0; j < items.length; j++) {
      responseDerivatives(itemLogit(theta, bank, items[j]!), scores[j]!, bank, items[j]!, point);
      logLikelihood += point.logLikelihood;
      slopes[j] = point.slope;
      informations[j] = point.information;
    }
  };
  return {
    dims,
    precision,
    value: (theta, mean) => {
      look(theta);
      let value = logLikelihood;
      for (let r = 0; r < dims; r++)
        for (let c = 0; c < dims; c++)
          value -= 0.5 * (theta[r]! - mean[r]!) * precision[r * dims + c]! * (theta[c]! - mean[c]!);
      return value;
    },
    expand: (theta, mean) => {
      look(theta);
      for (let r = 0; r < dims; r++) {
        let pull = 0;
        for (let c = 0; c < dims; c++) {
          hessian[r * dims + c] = precision[r * dims + c]!;
          pull += precision[r * dims + c]! * (theta[c]! - mean[c]!);
        }
        gradient[r] = -pull;
      }
      observed?.set(hessian);
      for (let j = 0; j < items.length; j++) {
        const item = items[j]!;
        const start = item * dims;
        for (let r = 0; r < dims; r++) {
          const ar = a[start + r]!;
          gradient[r] = gradient[r]! + slopes[j]! * ar;
          const weight = informations[j]! * ar;
          for (let c = 0; c <= r; c++) hessian[r * dims + c] = hessian[r * dims + c]! + weight * a[start + c]!;
        }
        if (observed === null) continue;
        const curvature = observedCurvature(itemLogit(theta, bank, item), scores[j]!, bank, item);
        for (let r = 0; r < dims; r++)
          for (let c = 0; c <= r; c++)
            observed[r * dims + c] = observed[r * dims + c]! + curvature * a[start + r]! * a[start + c]!;
      }
      const expected = cholesky(hessian, dims);
      return expected && { gradient, expected, observed: (observed && cholesky(observed, dims)) ?? expected };
    },
  };
}

import { AnchorEvalError } from "../errors.ts";
import { itemLogit } from "../irt/item-response.ts";
import { observedCurvature, responseDerivatives } from "../irt/likelihood.ts";
import type { ItemBank } from "../irt/types.ts";
import { cholesky, choleskyInverse, choleskySolve } from "../numeric/cholesky.ts";
import type { AbilityEstimate, AbilityPrior, ScoredItems } from "./types.ts";

export interface MapOptions {
  /** Newton steps at most. @default 100 */
  readonly maxIterations?: number;
  /** Converged when the Newton decrement gᵀH⁻¹g falls below this. @default 1e-16 */
  readonly tolerance?: number;
}

/**
 * Maximum a posteriori ability: argmax_θ Σ_j log P(y_j | θ) − ½(θ−μ)ᵀΛ(θ−μ), by damped Newton from the prior mean
 * (Fisher scoring where asymptotes make the observed information indefinite). The prior bounds it: all-right and
 * all-wrong patterns have a finite answer.
 * No answers give the prior itself.
 * @returns θ with `status`; the standard error is the square root of (I(θ) + Λ)⁻¹'s diagonal
 * @see Bock & Aitkin (1981); Segall (1996) for the multidimensional Bayes mode
 * @example mapAbility(bank, { items: [0, 3], scores: [1, 0] }, prior).theta
 */
export function mapAbility(
  bank: ItemBank,
  answers: ScoredItems,
  prior: AbilityPrior,
  options: MapOptions = {},
): AbilityEstimate {
  const { maxIterations = 100, tolerance = 1e-16 } = options;
  const { dims, a } = bank;
  const { items, scores } = answers;
  const theta = Float64Array.from(prior.mean);
  const trial = new Float64Array(dims);
  const gradient = new Float64Array(dims);
  const hessian = new Float64Array(dims * dims);
  // Without asymptotes expected and observed information are the same.
  const curved = bank.lower !== null || bank.upper !== null;
  const observed = curved ? new Float64Array(dims * dims) : null;
  const point = { logLikelihood: 0, slope: 0, information: 0 };

  const posterior = (at: Float64Array): number => {
    let value = 0;
    for (let j = 0; j < items.length; j++)
      value += responseDerivatives(itemLogit(at, bank, items[j]!), scores[j]!, bank, items[j]!, point).logLikelihood;
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        value -= 0.5 * (at[r]! - prior.mean[r]!) * prior.precision[r * dims + c]! * (at[c]! - prior.mean[c]!);
    return value;
  };
  const expand = (): void => {
    for (let r = 0; r < dims; r++) {
      let pull = 0;
      for (let c = 0; c < dims; c++) {
        hessian[r * dims + c] = prior.precision[r * dims + c]!;
        pull += prior.precision[r * dims + c]! * (theta[c]! - prior.mean[c]!);
      }
      gradient[r] = -pull;
    }
    observed?.set(hessian);
    for (let j = 0; j < items.length; j++) {
      const item = items[j]!;
      responseDerivatives(itemLogit(theta, bank, item), scores[j]!, bank, item, point);
      const start = item * dims;
      for (let r = 0; r < dims; r++) {
        const ar = a[start + r]!;
        gradient[r] = gradient[r]! + point.slope * ar;
        const weight = point.information * ar;
        for (let c = 0; c <= r; c++) hessian[r * dims + c] = hessian[r * dims + c]! + weight * a[start + c]!;
      }
      if (observed === null) continue;
      const curvature = observedCurvature(itemLogit(theta, bank, item), scores[j]!, bank, item);
      for (let r = 0; r < dims; r++)
        for (let c = 0; c <= r; c++)
          observed[r * dims + c] = observed[r * dims + c]! + curvature * a[start + r]! * a[start + c]!;
    }
  };

  let value = posterior(theta);
  let status: AbilityEstimate["status"] = "max-iterations";
  let iterations = 0;
  let factor: Float64Array | null = null;
  for (; iterations <= maxIterations; iterations++) {
    expand();
    factor = cholesky(hessian, dims);
    if (factor === null || !Number.isFinite(value))
      throw new AnchorEvalError(
        "numeric_failure",
        "the ability's posterior is not finite: item parameters or scores are not numbers",
      );
    const step = choleskySolve((observed && cholesky(observed, dims)) ?? factor, dims, gradient);
    let decrement = 0;
    for (let d = 0; d < dims; d++) decrement += step[d]! * gradient[d]!;
    if (decrement <= tolerance) {
      status = "converged";
      break;
    }
    let length = 1;
    let moved = false;
    // The sum's rounding: near the mode a good step may seem to lose that much.
    const rounding = 1e-12 * (1 + Math.abs(value));
    for (let halving = 0; halving < 40; halving++, length /= 2) {
      for (let d = 0; d < dims; d++) trial[d] = theta[d]! + length * step[d]!;
      const next = posterior(trial);
      if (next >= value + 1e-4 * length * decrement - rounding) {
        theta.set(trial);
        value = next;
        moved = true;
        break;
      }
    }
    if (!moved) {
      // No step rises above rounding: θ is the mode to the last digits that the sum has.
      status = decrement < 1e-6 ? "converged" : "max-iterations";
      break;
    }
  }
  const covariance = choleskyInverse(factor!, dims);
  return {
    theta,
    covariance,
    standardError: Float64Array.from({ length: dims }, (_, d) => Math.sqrt(covariance[d * dims + d]!)),
    status,
    iterations,
    method: "map",
  };
}

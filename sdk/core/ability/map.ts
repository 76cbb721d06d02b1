import type { ItemBank } from "../irt/item-bank.ts";
import { choleskyInverse, choleskySolve } from "../numeric/dense.ts";
import { dampedNewton, type NewtonOptions } from "../numeric/optimise.ts";
import { abilityPosterior } from "./posterior.ts";
import type { AbilityEstimate, AbilityPrior, ScoredItems } from "./types.ts";

/**
 * Maximum a posteriori ability: argmax_θ Σ_j log P(y_j | θ) − ½(θ−μ)ᵀΛ(θ−μ), by damped Newton from the prior mean
 * (Fisher scoring where asymptotes make the observed information indefinite). The prior bounds it: all-right and
 * all-wrong patterns have a finite answer.
 * No answers give the prior itself.
 * @returns θ with `status`; the standard error is the square root of (I(θ) + Λ)⁻¹'s diagonal
 * @throws AnchorEvalError `numeric_failure` where parameters or scores are no numbers
 * @see Bock & Aitkin (1981); Segall (1996) for the multidimensional Bayes mode
 * @example mapAbility(bank, { items: [0, 3], scores: [1, 0] }, prior).theta
 */
export function mapAbility(
  bank: ItemBank,
  answers: ScoredItems,
  { mean, precision }: AbilityPrior,
  options: NewtonOptions = {},
): AbilityEstimate {
  const { dims } = bank;
  const posterior = abilityPosterior(bank, answers, precision);
  const theta = Float64Array.from(mean);
  const { status, iterations } = dampedNewton(
    theta,
    {
      name: "the ability's posterior",
      value: (at) => posterior.value(at, mean),
      step: (at) => {
        const expansion = posterior.expand(at, mean);
        if (expansion === null) return null;
        const { gradient, observed } = expansion;
        const step = choleskySolve(observed, dims, gradient);
        return { step, decrement: step.reduce((sum, own, d) => sum + own * gradient[d]!, 0) };
      },
    },
    options,
  );
  const covariance = choleskyInverse(posterior.expand(theta, mean)!.expected, dims);
  return { ...abilityEstimate(theta, covariance), status, iterations, method: "map" };
}

/** θ with its standard errors, the square roots of the covariance's diagonal. */
export function abilityEstimate(
  theta: Float64Array,
  covariance: Float64Array,
): Pick<AbilityEstimate, "theta" | "covariance" | "standardError"> {
  const dims = theta.length;
  return { theta, covariance, standardError: theta.map((_, d) => Math.sqrt(covariance[d * dims + d]!)) };
}

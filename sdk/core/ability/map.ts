import type { ItemBank } from "../irt/item-bank.ts";
import {
  type AnswerDerivatives,
  itemLogit,
  logisticAnswers,
  observedCurvature,
  responseDerivatives,
} from "../irt/response.ts";
import { addGram, cholesky, choleskyInverse, choleskySolve } from "../numeric/dense.ts";
import { dampedNewton, type NewtonOptions } from "../numeric/optimise.ts";
import type { AbilityPrior } from "./prior.ts";

/** Scores of answered items: `items[j]` was scored `scores[j]`, in [0,1]. */
export interface ScoredItems {
  readonly items: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
}

/** An ability with its own diagnosis. */
export interface AbilityEstimate {
  /** θ, length D, on the bank's scale. */
  readonly theta: Float64Array;
  /** Posterior standard deviation of each coordinate. */
  readonly standardError: Float64Array;
  /** Posterior covariance, D×D row-major: the inverse of test information plus prior precision at θ. */
  readonly covariance: Float64Array;
  readonly status: "converged" | "max-iterations";
  readonly iterations: number;
}

/**
 * Maximum a posteriori ability: argmax_θ Σ_j log P(y_j | θ) − ½(θ−μ)ᵀΛ(θ−μ), by damped Newton from the prior mean
 * (Fisher scoring where asymptotes make the observed information indefinite). The prior bounds it: all-right and
 * all-wrong patterns have a finite answer, and no answers give the prior itself.
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
        return { step, decrement: step.reduce((sum, value, d) => sum + value * gradient[d]!, 0) };
      },
    },
    options,
  );
  const covariance = choleskyInverse(posterior.expand(theta, mean)!.expected, dims);
  return { ...abilityEstimate(theta, covariance), status, iterations };
}

/** θ with its standard errors, the square roots of the covariance's diagonal. */
export function abilityEstimate(
  theta: Float64Array,
  covariance: Float64Array,
): Pick<AbilityEstimate, "theta" | "covariance" | "standardError"> {
  const dims = theta.length;
  return { theta, covariance, standardError: theta.map((_, d) => Math.sqrt(covariance[d * dims + d]!)) };
}

interface PosteriorExpansion {
  readonly gradient: Float64Array;
  /** Factor of the expected curvature I(θ) + Λ, which is always positive definite. */
  readonly expected: Float64Array;
  /** Factor of the observed curvature; the expected one itself without asymptotes, and where they make it indefinite. */
  readonly observed: Float64Array;
}

/** The log posterior of one ability, whose prior mean μ may move. */
export type AbilityPosterior = ReturnType<typeof abilityPosterior>;

/**
 * The posterior of an ability given the answers to some items, Σ_j log P(y_j | θ) − ½(θ−μ)ᵀΛ(θ−μ).
 * @param precision - Λ of the Gaussian prior, D×D row-major
 * @see Segall (1996), Psychometrika 61, 331–354
 */
export function abilityPosterior(bank: ItemBank, { items, scores: answers }: ScoredItems, precision: Float64Array) {
  const { dims } = bank;
  const count = items.length;
  const scores = new Float64Array(count);
  const rows = new Float64Array(count * dims);
  const intercepts = new Float64Array(count);
  for (let j = 0; j < count; j++) {
    scores[j] = answers[j]!;
    intercepts[j] = bank.b[items[j]!]!;
    for (let d = 0; d < dims; d++) rows[j * dims + d] = bank.a[items[j]! * dims + d]!;
  }
  const gradient = new Float64Array(dims);
  const hessian = new Float64Array(dims * dims);
  const expected = new Float64Array(dims * dims);
  // Without asymptotes expected and observed information are the same.
  const curved = bank.lower !== null || bank.upper !== null;
  const observed = curved ? new Float64Array(dims * dims) : null;
  const curvatures = new Float64Array(curved ? count : 0);
  // The response terms at the latest ability: a search asks for the value first and then for its derivatives.
  const looked = new Float64Array(dims).fill(NaN);
  const slopes = new Float64Array(count);
  const informations = new Float64Array(count);
  const [logistic, derivatives] = [
    { rows, intercepts, scores },
    { slopes, informations },
  ];
  let logLikelihood = NaN;
  const expandedAt = new Float64Array(2 * dims).fill(NaN);
  let expansion: PosteriorExpansion | null = null;
  const look = (theta: Float64Array): void => {
    if (same(looked, theta, 0)) return;
    looked.set(theta);
    logLikelihood = curved
      ? curvedAnswers(theta, bank, items, scores, derivatives)
      : logisticAnswers(theta, logistic, derivatives);
  };
  return {
    dims,
    /** Its value up to a constant. */
    value: (theta: Float64Array, mean: Float64Array): number => {
      look(theta);
      let value = logLikelihood;
      for (let r = 0; r < dims; r++)
        for (let c = 0; c < dims; c++)
          value -= 0.5 * (theta[r]! - mean[r]!) * precision[r * dims + c]! * (theta[c]! - mean[c]!);
      return value;
    },
    /**
     * Its gradient and Cholesky factors of its negative second derivative, which the next call writes over; null where
     * that is no number. Asked again for where it was asked last, it gives what it gave.
     */
    expand: (theta: Float64Array, mean: Float64Array): PosteriorExpansion | null => {
      if (expansion !== null && same(expandedAt, theta, 0) && same(expandedAt, mean, dims)) return expansion;
      look(theta);
      expandedAt.set(theta);
      expandedAt.set(mean, dims);
      expansion = null;
      for (let r = 0; r < dims; r++) {
        let pull = 0;
        for (let c = 0; c < dims; c++) pull += precision[r * dims + c]! * (theta[c]! - mean[c]!);
        gradient[r] = -pull;
      }
      for (let j = 0; j < count; j++)
        for (let r = 0; r < dims; r++) gradient[r] = gradient[r]! + slopes[j]! * rows[j * dims + r]!;
      hessian.set(precision);
      addGram(hessian, dims, rows, informations, count);
      if (cholesky(hessian, dims, expected) === null) return null;
      if (observed === null) return (expansion = { gradient, expected, observed: expected });
      for (let j = 0; j < count; j++)
        curvatures[j] = observedCurvature(itemLogit(theta, bank, items[j]!), scores[j]!, bank, items[j]!);
      observed.set(precision);
      addGram(observed, dims, rows, curvatures, count);
      return (expansion = { gradient, expected, observed: cholesky(observed, dims) ?? expected });
    },
  };
}

/** Whether an ability is the one kept from `begin` on, number by number; NaN is like nothing. */
function same(kept: Float64Array, ability: Float64Array, begin: number): boolean {
  for (let d = 0; d < ability.length; d++) if (kept[begin + d] !== ability[d]) return false;
  return true;
}

/** {@link logisticAnswers} of items with asymptotes. */
function curvedAnswers(
  theta: Float64Array,
  bank: ItemBank,
  items: ArrayLike<number>,
  scores: Float64Array,
  { slopes, informations }: AnswerDerivatives,
): number {
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  let sum = 0;
  for (let j = 0; j < items.length; j++) {
    const item = items[j]!;
    responseDerivatives(itemLogit(theta, bank, item), scores[j]!, bank, item, point);
    sum += point.logLikelihood;
    slopes[j] = point.slope;
    informations[j] = point.information;
  }
  return sum;
}
